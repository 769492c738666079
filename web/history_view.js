// Earlier sets: found by their prompts, opened, compared, deleted.

import {get, imagePath, remove, showPicture} from './api.js';
import {announce, button, confirmed, h, toast} from './dom.js';
import {isFinal} from './feed.js';
import {clockOf, counted, dayOf, progressLine, shortMethod} from './words.js';

const PAGE = 24;
const SHOWN = 4;
const LATEST = 8;
const TYPING_MS = 200;
const EXAMPLES = ['a photo of a bird', 'a photo of a sunflower', 'a red car', 'a photo of a mountain', 'a {red|blue|green} mushroom'];
const ABOUT = 'gass makes sets of images that truly differ from each other and still match the prompt. Strength says how far apart they are; ' +
  '{a|b} gives each image one of the choices.';

const stateLine = job => {
  if (!isFinal(job)) return progressLine(job);
  return {completed: counted(job.images?.length ?? 0, 'image'), failed: 'failed', cancelled: 'stopped'}[job.state];
};

const picturesOf = job => Array.from({length: SHOWN}, (_, k) => {
  const image = job.images?.[k];
  if (!image) return h('span', {class: 'no-picture'});
  const picture = h('img', {alt: '', loading: 'lazy', width: image.width, height: image.height});
  showPicture(picture, imagePath(job.id, image.index));
  return picture;
});

// True if they are gone.
const deleted = async (jobs, question) => {
  if (!await confirmed(question)) return false;
  try {
    for (const id of jobs) await remove(`jobs/${id}`);
  } catch (error) {
    toast(error.message, {isError: true});
    return false;
  }
  announce('Deleted');
  return true;
};

const makeCard = (job, {onReuse, onPick, onGone}) => {
  const prompt = job.request?.prompt || 'no prompt';
  const label = `Choose ${prompt}, ${clockOf(job.created)}`;
  const box = h('input', {type: 'checkbox', 'aria-label': label, onchange: () => onPick(job.id, box.checked)});
  const pick = onPick && h('label', {class: 'pick'}, box);
  const drop = async () => {
    if (!await deleted([job.id], `Delete “${prompt}” and its pictures?`)) return;
    element.remove();
    onGone?.(job.id);
  };
  const made = [job.plan?.model ?? job.request?.model, shortMethod(job)].filter(Boolean).join(' · ');
  const element = h('article', {class: 'card'},
    h('a', {href: `#set/${job.id}`, class: 'card-link'},
      h('span', {class: 'card-pictures', 'aria-hidden': 'true'}, picturesOf(job)), h('strong', {dir: 'auto'}, prompt)),
    h('p', {class: 'note'}, `${clockOf(job.created)} · ${stateLine(job)}`, h('br'), made), pick,
    h('div', {class: 'row'},
      button('Use again', () => onReuse(job.request), {class: 'quiet', 'aria-label': `Use the settings of ${prompt} again`}),
      button('Delete', drop, {class: 'quiet danger-text', 'aria-label': `Delete ${prompt}`})));
  return element;
};

// Below the empty prompt: what was made last, or what one could ask for.
export const loadHome = async ({onReuse, onExample}) => {
  const {jobs} = await get(`jobs?limit=${LATEST}`);
  const examples = EXAMPLES.map(text => button(text, () => onExample(text), {class: 'example'}));
  const content = jobs.length
    ? [h('div', {class: 'row between'}, h('h2', {}, 'Your last sets'), h('a', {href: '#history'}, 'All of them')),
      h('div', {class: 'cards'}, jobs.map(job => makeCard(job, {onReuse})))]
    : [h('h2', {}, 'Try one of these'), h('div', {class: 'row'}, examples), h('p', {class: 'note'}, ABOUT)];
  return {element: h('section', {class: 'home'}, content), stop: () => {}, keys: {}};
};

// The sets that are chosen, and what can be done with them.
const makeChoice = onGone => {
  const picked = new Set();
  const compare = button('Compare them', () => { location.hash = `#compare/${[...picked].join(',')}`; }, {class: 'main'});
  const drop = button('Delete them', async () => {
    if (await deleted([...picked], `Delete ${counted(picked.size, 'set')} and all their pictures?`)) onGone();
  }, {class: 'danger-text'});
  const line = h('span', {});
  const element = h('div', {class: 'chosen', role: 'region', 'aria-label': 'Chosen sets', hidden: true}, line,
    h('div', {class: 'row'}, compare, drop));
  const draw = () => {
    element.hidden = picked.size === 0;
    line.textContent = `${counted(picked.size, 'set')} chosen`;
    compare.hidden = picked.size < 2;
  };
  return {
    element,
    pick: (id, isOn) => { if (isOn) picked.add(id); else picked.delete(id); draw(); },
    clear: () => { picked.clear(); draw(); },
  };
};

export const loadHistory = async ({onReuse}) => {
  const search = h('input', {type: 'search', id: 'search', placeholder: 'Part of the prompt', 'aria-controls': 'found'});
  const found = h('div', {id: 'found'});
  const line = h('p', {class: 'note', role: 'status'});
  const more = button('Show more', () => load(next), {hidden: true});
  const choice = makeChoice(() => load());
  let next = null;
  let turn = 0;
  let timer;

  const add = job => {
    const day = dayOf(job.created);
    if (found.lastChild?.dataset.day !== day) found.append(h('h3', {}, day), h('div', {class: 'cards', 'data-day': day}));
    found.lastChild.append(makeCard(job, {onReuse, onPick: choice.pick, onGone: id => choice.pick(id, false)}));
  };
  const load = async (before = null) => {
    const mine = ++turn;
    const text = search.value.trim();
    const query = new URLSearchParams({limit: PAGE, ...text && {query: text}, ...before && {before}});
    const answer = await get(`jobs?${query}`).catch(error => { line.textContent = error.message; });
    if (!answer || mine !== turn) return;  // an older answer that came late
    if (!before) { found.replaceChildren(); choice.clear(); }
    answer.jobs.forEach(add);
    next = answer.next;
    more.hidden = !next;
    const n = found.querySelectorAll('.card').length;
    line.textContent = n ? `${counted(n, 'set')}${next ? ' so far' : ''}` : text ? 'No set has this in its prompt.' : 'No sets yet.';
  };
  search.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(() => load(), TYPING_MS); });
  await load();

  const title = h('h2', {tabindex: -1}, 'History');
  const field = h('div', {class: 'field search'}, h('label', {for: 'search'}, 'Search'), search);
  document.title = 'History – gass';
  return {
    element: h('section', {class: 'history'}, title, field, line, found, more, choice.element), title,
    stop: () => clearTimeout(timer), keys: {'/': () => search.focus()},
  };
};
