// Sets of several methods from the same seeds, beside each other: a row of pictures for each, and one table of their numbers.

import {get, post} from './api.js';
import {letterOf, makeTable, verdict} from './compare_table.js';
import {announce, button, h, toast} from './dom.js';
import {follow, isFinal} from './feed.js';
import {openLightbox} from './lightbox.js';
import {makeMeanings} from './numbers.js';
import {makeTiles} from './tiles.js';
import {endLine, originLine, progressLine, shortMethod} from './words.js';

const complain = error => toast(error.message, {isError: true});

// The pictures of one seed light up together.
const lightUp = rows => {
  const light = isOn => event => {
    const seed = event.target.closest?.('.tile')?.dataset.seed;
    for (const tile of rows.querySelectorAll('.tile.same')) tile.classList.remove('same');
    if (isOn && seed) for (const tile of rows.querySelectorAll(`.tile[data-seed="${CSS.escape(seed)}"]`)) tile.classList.add('same');
  };
  for (const name of ['pointerover', 'focusin']) rows.addEventListener(name, light(true));
  for (const name of ['pointerout', 'focusout']) rows.addEventListener(name, light(false));
};

const makeRow = (first, k, {onReuse, onChange}) => {
  let job = first;
  const status = h('p', {class: 'note'});
  const tiles = makeTiles(first.plan?.images ?? first.request.images ?? 4, {onOpen: index => openLightbox(job, index)});
  tiles.element.classList.add('strip');
  const reuse = button('Use these settings', () => onReuse({...job.request, seed: job.plan?.seed ?? job.request.seed}), {class: 'quiet'});
  const header = h('header', {}, h('h3', {}, letterOf(k), ' ', shortMethod(first)), status,
    h('div', {class: 'row'}, h('a', {href: `#set/${first.id}`}, 'Open'), reuse));
  const draw = state => {
    const wasFinal = isFinal(job);
    job = state.job;
    status.textContent = isFinal(job) ? endLine(job) : progressLine(job);
    tiles.update(state);
    if (!wasFinal && isFinal(job)) announce(`${shortMethod(job)}: ${endLine(job)}`);
    onChange(job);
  };
  return {
    element: h('article', {}, header, tiles.element),
    draw: () => draw({job, previews: new Map()}),
    follow: () => follow(first, draw, complain),
  };
};

export const loadCompareView = async (ids, {onReuse}) => {
  const jobs = await Promise.all(ids.map(id => get(`jobs/${id}`)));
  const isOne = new Set(jobs.map(job => job.request.prompt)).size === 1;
  const title = h('h2', {dir: 'auto', tabindex: -1}, isOne ? jobs[0].request.prompt : 'Sets beside each other');
  const sentence = h('p', {'aria-live': 'polite'});
  const table = h('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Numbers of the methods'});
  const legend = h('p', {class: 'note'}, 'Framed: the best of a column; ↑ more is better, ↓ less is.');
  const stop = () => Promise.all(jobs.filter(job => !isFinal(job)).map(job => post(`jobs/${job.id}/cancel`))).catch(complain);
  const stopAll = button('Stop all', stop, {class: 'stop'});

  const draw = () => {
    const isOver = jobs.every(isFinal);
    table.hidden = legend.hidden = !jobs.some(job => job.spread);
    table.replaceChildren(makeTable(jobs));
    sentence.textContent = isOver ? verdict(jobs) : '';
    stopAll.hidden = isOver;
    document.title = `${jobs.filter(isFinal).length} of ${jobs.length} – compare – gass`;
  };
  const rows = jobs.map((first, k) => makeRow(first, k, {onReuse, onChange: job => { jobs[k] = job; draw(); }}));
  const list = h('div', {class: 'rows'}, rows.map(row => row.element));
  lightUp(list);
  rows.forEach(row => row.draw());
  const feeds = rows.map(row => row.follow());

  const {method: _method, ...request} = jobs[0].request;
  const origin = h('p', {class: 'origin'}, originLine(jobs[0]).replace(/ · method .*/, ''));
  return {
    element: h('section', {class: 'set compare'},
      h('header', {class: 'set-head'}, h('div', {}, title, origin), h('div', {class: 'row'}, stopAll)),
      sentence, list, table, legend, makeMeanings()),
    title, request, keys: {'.': stop}, stop: () => feeds.forEach(feed => feed.stop()),
  };
};
