// What makes a set again: the command line and the record, to be copied.

import {get} from './api.js';
import {button, copyText, h} from './dom.js';

// Flags stay whole where the line breaks, and what is long breaks where its parameters part.
const withBreaks = text => text.split(/( --[a-z-]+|(?<=,))/).map(part => {
  if (part.startsWith(' --')) return h('span', {}, ' ', h('span', {class: 'flag'}, part.slice(1)));
  return part === '' ? h('wbr') : part;
});

const copyable = (text, label) => {
  const block = h('pre', {tabindex: 0, role: 'group', 'aria-label': label}, withBreaks(text));
  return [block, button('Copy', event => copyText(block.textContent, event.currentTarget), {class: 'copy', 'aria-label': `Copy ${label}`})];
};

export const makeRecipe = job => {
  const inside = h('div', {});
  const details = h('details', {ontoggle: async () => {
    if (!details.open || inside.firstChild) return;
    const record = job.images?.length ? await get(`jobs/${job.id}/record`).catch(() => null) : null;
    inside.replaceChildren(...copyable(JSON.stringify(record ?? job.plan ?? job.request, null, 2), 'the JSON'));
  }}, h('summary', {}, 'The same as JSON'), inside);
  return h('section', {}, h('h3', {}, 'Make it again'), job.command ? copyable(job.command, 'the command') : null, details);
};
