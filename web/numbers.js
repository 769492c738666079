// A set's numbers, what they mean, and what its method did.

import {blob} from './api.js';
import {h} from './dom.js';
import {MEANINGS, meaning, spreadLine} from './words.js';

export const makeMeanings = () => h('details', {}, h('summary', {}, 'What these numbers mean'),
  h('dl', {}, MEANINGS.flatMap(([term, text]) => [h('dt', {}, term), h('dd', {}, text)])));

const makeStory = job => {
  const inside = h('div', {class: 'story'});
  const tell = async () => {
    if (!details.open || inside.firstChild) return;
    try {
      const url = URL.createObjectURL(await blob(`jobs/${job.id}/explain`));
      inside.replaceChildren(h('img', {src: url, alt: 'Drawings of the candidates, the steps and the finished images on the sphere'}));
    } catch (error) {
      inside.replaceChildren(h('p', {class: 'note'}, error.status === 404 ? 'This method tells nothing about its steps.' : error.message));
    }
  };
  const details = h('details', {ontoggle: tell}, h('summary', {}, 'What the method did'), inside);
  return details;
};

// Nothing where one image, or no guide, leaves nothing to say.
export const makeNumbers = job => {
  const n = job.images?.length ?? 0;
  if (!job.spread || n < 2) return '';
  return h('section', {class: 'numbers-part'}, h('h3', {}, 'How far it spreads'), h('p', {}, meaning(job)),
    h('p', {class: 'note'}, spreadLine(job.spread, n)), makeMeanings(),
    /^none\b/.test(job.plan?.method ?? '') ? null : makeStory(job));
};
