// Earlier sets: found by their prompts, opened, compared, deleted.

import {get, imagePath, remove, showPicture} from './api.js';
import {announce, button, confirmed, h, toast} from './dom.js';
import {isFinal} from './feed.js';
import {clockOf, counted, dayOf, progressLine, shortMethod} from './words.js';

const PAGE = 24;
const SHOWN = 4;
const EXAMPLES = ['a photo of a bird', 'a photo of a sunflower', 'a red car', 'a photo of a mountain', 'a {red|blue|green} mushroom'];

const stateLine = job => {
  if (!isFinal(job)) return progressLine(job);
  return {completed: counted(job.images?.length ?? 0, 'image'), failed: 'failed', cancelled: 'stopped'}[job.state];
};

const makeCard = (job, {onReuse, onPick, onGone}) => {
  const pictures = (job.images ?? []).slice(0, SHOWN).map(image => {
    const picture = h('img', {alt: '', loading: 'lazy', width: image.width, height: image.height});
    showPicture(picture, imagePath(job.id, image.index));
    return picture;
  });
  while (pictures.length < SHOWN) pictures.push(h('span', {class: 'no-picture'}));
  const prompt = job.request?.prompt || 'no prompt';
  const choice = onPick && h('label', {class: 'pick'}, h('input', {type: 'checkbox', 'aria-label': `Choose ${prompt}, ${clockOf(job.created)}`, onchange: event => onPick(job, event.currentTarget.checked)}));
  const element = h('article', {class: 'card'}, h('a', {href: `#set/${job.id}`, class: 'card-link'}, h('span', {class: 'card-pictures', 'aria-hidden': 'true'}, pictures),
    h('strong', {dir: 'auto'}, prompt)),
    h('p', {class: 'note'}, `${clockOf(job.created)} · ${stateLine(job)}`, h('br'), [job.plan?.model ?? job.request?.model, shortMethod(job)].filter(Boolean).join(' · ')),
    choice, h('div', {class: 'row'}, button('Use again', () => onReuse({...job.request}), {class: 'quiet', 'aria-label': `Use the settings of ${prompt} again`}),
      button('Delete', async () => {
        if (!await confirmed(`Delete “${prompt}” and its pictures for good?`, 'Delete it')) return;
        try {
          await remove(`jobs/${job.id}`);
          element.remove();
          announce('Deleted');
          onGone?.(job);
        } catch (error) { toast(error.message, {isError: true}); }
      }, {class: 'quiet danger-text', 'aria-label': `Delete ${prompt}`})));
  return element;
};

// Below the empty prompt: what runs, what was made last, or what one could ask for.
export const loadHome = async ({onReuse, onExample}) => {
  const {jobs} = await get('jobs?limit=8');
  const element = h('section', {class: 'home'});
  if (jobs.length) {
    element.append(h('div', {class: 'row between'}, h('h2', {}, 'Your last sets'), h('a', {href: '#history'}, 'All of them')),
      h('div', {class: 'cards'}, jobs.map(job => makeCard(job, {onReuse}))));
  } else {
    element.append(h('h2', {}, 'Try one of these'), h('div', {class: 'row'}, EXAMPLES.map(text => button(text, () => onExample(text), {class: 'example'}))),
      h('p', {class: 'note'}, 'gass makes sets of images that truly differ from each other and still match the prompt. Strength says how far apart they are; {a|b} gives each image one of the choices.'));
  }
  return {element, stop: () => {}, keys: {}};
};

export const loadHistory = async ({onReuse}) => {
  const search = h('input', {type: 'search', id: 'search', placeholder: 'Part of the prompt', 'aria-controls': 'found'});
  const found = h('div', {id: 'found'});
  const line = h('p', {class: 'note', role: 'status'});
  const more = button('Show more', () => load(false), {hidden: true});
  const picked = new Map();
  const compare = button('Compare them', () => { location.hash = `#compare/${[...picked.keys()].join(',')}`; }, {class: 'main'});
  const drop = button('Delete them', async () => {
    if (!await confirmed(`Delete ${counted(picked.size, 'set')} and their pictures for good?`, 'Delete them')) return;
    try { for (const id of [...picked.keys()]) { await remove(`jobs/${id}`); picked.delete(id); } } catch (error) { toast(error.message, {isError: true}); }
    load(true);
  }, {class: 'danger-text'});
  const pickedLine = h('span', {});
  const chosen = h('div', {class: 'chosen', role: 'region', 'aria-label': 'Chosen sets', hidden: true}, pickedLine, h('div', {class: 'row'}, compare, drop));
  const drawChosen = () => {
    chosen.hidden = picked.size === 0;
    pickedLine.textContent = `${counted(picked.size, 'set')} chosen`;
    compare.hidden = picked.size < 2;
  };
  let next = null;
  let day = '';
  let turn = 0;

  const load = async isFresh => {
    const mine = ++turn;
    const query = new URLSearchParams({limit: PAGE, ...(search.value.trim() && {query: search.value.trim()}), ...(!isFresh && next && {before: next})});
    let answer;
    try { answer = await get(`jobs?${query}`); } catch (error) { line.textContent = error.message; return; }
    if (mine !== turn) return;  // an older answer that came late
    if (isFresh) { found.replaceChildren(); picked.clear(); day = ''; }
    for (const job of answer.jobs) {
      if (dayOf(job.created) !== day) {
        day = dayOf(job.created);
        found.append(h('h3', {}, day), h('div', {class: 'cards'}));
      }
      found.lastChild.append(makeCard(job, {onReuse, onGone: gone => { picked.delete(gone.id); drawChosen(); },
        onPick: (one, isOn) => { if (isOn) picked.set(one.id, one); else picked.delete(one.id); drawChosen(); }}));
    }
    next = answer.next;
    more.hidden = !next;
    const n = found.querySelectorAll('.card').length;
    line.textContent = n ? `${counted(n, 'set')}${next ? ' so far' : ''}` : search.value ? 'No set has this in its prompt.' : 'No sets yet.';
    drawChosen();
  };
  let timer;
  search.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(() => load(true), 200); });
  const title = h('h2', {tabindex: -1}, 'History');
  const element = h('section', {class: 'history'}, title, h('div', {class: 'field search'}, h('label', {for: 'search'}, 'Search'), search), line, found, more, chosen);
  await load(true);
  document.title = 'History – gass';
  return {element, title, stop: () => clearTimeout(timer), keys: {'/': () => search.focus()}};
};
