// Sets of several methods from the same seeds, beside each other: a row of pictures for each, and one table of their numbers.

import {get, post} from './api.js';
import {announce, button, h, toast} from './dom.js';
import {follow, isFinal} from './feed.js';
import {openLightbox} from './lightbox.js';
import {makeTiles} from './tiles.js';
import {MEANINGS, endLine, originLine, progressLine, shortMethod, shown} from './words.js';

const COLUMNS = [['Vendi', spread => spread.vendi, 2, 1], ['SPP', spread => spread.spp, 3, 1], ['SPP along', spread => spread.d_dep, 3, 1],
  ['SPP across', spread => spread.d_ind, 3, 1], ['Pairwise', spread => spread.pairwise, 3, 1], ['CLIPScore', spread => spread.clip_score, 3, 1]];
const LETTERS = 'ABCDEFGHIJKLMNOP';

// What people read is compared: values that are shown alike are marked alike, and where all are alike none is.
const bestOf = (values, decimals, sign) => {
  const texts = values.map(value => value === undefined || value === null ? null : shown(value, decimals));
  const known = values.filter(value => Number.isFinite(value));
  const best = shown(sign > 0 ? Math.max(...known) : Math.min(...known), decimals);
  return texts.map(text => text === best && new Set(texts.filter(Boolean)).size > 1);
};

const verdict = jobs => {
  const done = jobs.filter(job => job.spread?.vendi);
  if (done.length < 2) return '';
  const ordered = [...done].sort((a, b) => b.spread.vendi - a.spread.vendi);
  const most = ordered[0];
  const other = done.find(job => shortMethod(job) === 'none' && job !== most) ?? ordered.at(-1);
  const n = most.images.length;
  if (shown(most.spread.vendi, 1) === shown(other.spread.vendi, 1)) return `Each set is worth about ${shown(most.spread.vendi, 1)} images that have nothing in common.`;
  const change = most.spread.clip_score - other.spread.clip_score;
  const match = Math.abs(change) < 0.0015 ? 'matches the prompt as well' : `matches the prompt ${change < 0 ? 'less' : 'better'} (CLIPScore ${change < 0 ? '−' : '+'}${shown(Math.abs(change), 3)})`;
  const named = job => shortMethod(job) === 'none' ? 'plain guidance' : shortMethod(job);
  return `${named(most)[0].toUpperCase()}${named(most).slice(1)} spreads furthest: its ${n} images are worth about ${shown(most.spread.vendi, 1)} that have nothing in common, those of ` +
    `${named(other)} ${shown(other.spread.vendi, 1)}; it ${match}. A method that looks through the guide may look better to it than it is.`;
};

export const loadCompareView = async (ids, {onReuse}) => {
  const jobs = await Promise.all(ids.map(id => get(`jobs/${id}`)));
  const feeds = [];
  const prompts = new Set(jobs.map(job => job.request.prompt));
  const title = h('h2', {dir: 'auto', tabindex: -1}, prompts.size === 1 ? jobs[0].request.prompt : 'Sets beside each other');
  const sentence = h('p', {'aria-live': 'polite'});
  const table = h('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Numbers of the methods', hidden: true});
  const legend = h('p', {class: 'note'}, 'Framed: the best of a column; ↑ more is better, ↓ less is.');
  const stopAll = button('Stop all', async () => {
    await Promise.all(jobs.filter(job => !isFinal(job)).map(job => post(`jobs/${job.id}/cancel`))).catch(error => toast(error.message, {isError: true}));
  }, {class: 'stop'});

  const letter = k => h('span', {class: `letter m${k % 8}`, 'aria-hidden': 'true'}, LETTERS[k]);
  const drawTable = () => {
    table.hidden = legend.hidden = !jobs.some(job => job.spread);
    sentence.textContent = jobs.every(isFinal) ? verdict(jobs) : '';
    stopAll.hidden = jobs.every(isFinal);
    if (table.hidden) return;
    const columns = [...COLUMNS.map(([name, read, ...rest]) => [name, job => job.spread && read(job.spread), ...rest]), ['Seconds', job => job.cost?.seconds || null, 1, -1]];
    const best = columns.map(([, read, decimals, sign]) => bestOf(jobs.map(read), decimals, sign));
    table.replaceChildren(h('table', {}, h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'Method'), columns.map(([name, , , sign]) => h('th', {scope: 'col'}, `${name} ${sign > 0 ? '↑' : '↓'}`)))),
      h('tbody', {}, jobs.map((job, k) => h('tr', {}, h('th', {scope: 'row'}, letter(k), ' ', shortMethod(job)),
        columns.map(([, read, decimals], c) => h('td', {}, best[c][k] ? h('span', {class: 'best'}, shown(read(job), decimals)) : shown(read(job), decimals))))))));
  };

  // The picture of the same seed lights up in the other rows.
  const lightUp = (event, isOn) => {
    const seed = event.target.closest?.('.tile')?.dataset.seed;
    for (const tile of rows.querySelectorAll('.tile.same')) tile.classList.remove('same');
    if (isOn && seed) for (const tile of rows.querySelectorAll(`.tile[data-seed="${CSS.escape(seed)}"]`)) tile.classList.add('same');
  };
  const rows = h('div', {class: 'rows'}, jobs.map((first, k) => {
    const status = h('p', {class: 'note'});
    const tiles = makeTiles(first.plan?.images ?? first.request.images ?? 4, {onOpen: index => openLightbox(jobs[k], index), onSelect: () => {}});
    tiles.element.classList.add('strip');
    const draw = state => {
      const wasFinal = isFinal(jobs[k]);
      jobs[k] = state.job;
      status.textContent = isFinal(state.job) ? endLine(state.job) + (state.job.error ? `: ${state.job.error.message}` : '') : progressLine(state.job);
      tiles.update(state);
      for (const pick of tiles.element.querySelectorAll('.pick')) pick.hidden = true;
      drawTable();
      if (!wasFinal && isFinal(state.job)) announce(`${shortMethod(state.job)}: ${endLine(state.job)}`);
      document.title = `${jobs.filter(isFinal).length} of ${jobs.length} – compare – gass`;
    };
    draw({job: first, previews: new Map()});
    feeds.push(follow(first, draw, error => toast(error.message, {isError: true})));
    return h('article', {}, h('header', {}, h('h3', {}, letter(k), ' ', shortMethod(first)), status,
      h('div', {class: 'row'}, h('a', {href: `#set/${first.id}`}, 'Open'), button('Use these settings', () => onReuse({...jobs[k].request, seed: jobs[k].plan?.seed ?? jobs[k].request.seed}), {class: 'quiet'}))), tiles.element);
  }));
  for (const [name, isOn] of [['pointerover', true], ['pointerout', false], ['focusin', true], ['focusout', false]]) rows.addEventListener(name, event => lightUp(event, isOn));
  const element = h('section', {class: 'set compare'}, h('header', {class: 'set-head'},
    h('div', {}, title, h('p', {class: 'origin'}, originLine(jobs[0]).replace(/ · method .*/, ''))), h('div', {class: 'row'}, stopAll)), sentence, rows, table, legend,
    h('details', {}, h('summary', {}, 'What these numbers mean'), h('dl', {}, MEANINGS.flatMap(([term, text]) => [h('dt', {}, term), h('dd', {}, text)]))));
  drawTable();
  const {method: _method, ...request} = jobs[0].request;
  return {element, title, request, keys: {'.': () => stopAll.click()}, stop: () => feeds.forEach(feed => feed.stop())};
};
