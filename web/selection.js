// Images that are chosen, and what can be done with them.

import {announce, button, h, toast} from './dom.js';
import {withSpell} from './words.js';

// The request again, without what concerns one set alone.
const again = ({keep: _keep, like: _like, away: _away, seed: _seed, client: _client, ...rest}) => rest;

const makeRequests = ({id, request}) => ({
  keep: images => ({...again(request), seed: -1, keep: {job: id, images}}),
  like: image => {
    const {method: _method, strength: _strength, vary: _vary, ...rest} = again(request);
    return {...rest, like: {job: id, image}};
  },
  away: images => ({...again(request), seed: -1, method: withSpell(request.method ?? 'gass'), away: {job: id, images}}),
});

// `job()` is the set as it is known now; `onMark(selected)` shows who is chosen, `onDownload(images)` saves them.
export const makeSelection = (job, {can, onMake, onMark, onDownload}) => {
  const selected = new Set();
  const sorted = () => [...selected].sort((a, b) => a - b);
  const send = body => onMake(body).catch(error => toast(error.message, {isError: true}));
  const requests = () => makeRequests(job());
  const keep = () => send(requests().keep(sorted()));
  const like = image => send(requests().like(image));

  const offer = (name, ...rest) => can.includes(name) ? button(...rest) : null;
  const keepButton = offer('keep', 'Keep these, make the others again', keep, {class: 'main', 'aria-keyshortcuts': 'k'});
  const likeButton = offer('like', 'More like this', () => like(sorted()[0]));
  const awayButton = offer('away', 'A set away from these', () => send(requests().away(sorted())));
  const line = h('span', {});
  const element = h('div', {class: 'chosen', role: 'region', 'aria-label': 'Selected images', hidden: true}, line,
    h('div', {class: 'row'}, keepButton, likeButton, awayButton,
      button('Download', () => onDownload(job().images.filter(image => selected.has(image.index)))),
      button('Select none', () => { selected.clear(); mark(); }, {class: 'quiet'})));

  const mark = () => {
    const n = job().images?.length ?? 0;
    onMark(selected);
    element.hidden = selected.size === 0;
    line.textContent = `${selected.size} of ${n} selected`;
    if (likeButton) likeButton.hidden = selected.size !== 1;
    if (keepButton) keepButton.hidden = selected.size === n;
  };
  return {
    element, mark,
    has: index => selected.has(index),
    select: (index, isOn) => {
      if (isOn) selected.add(index); else selected.delete(index);
      mark();
      announce(line.textContent);
    },
    all: () => {
      for (const image of job().images) selected.add(image.index);
      mark();
    },
    keep: () => { if (keepButton && !element.hidden && !keepButton.hidden) keep(); },
    like: likeButton ? like : undefined,
  };
};
