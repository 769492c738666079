// The numbers of several sets in one table, and what they come to in a sentence.

import {h} from './dom.js';
import {shortMethod, shown} from './words.js';

// [name, value of a job, decimals, whether more is better]
const COLUMNS = [
  ['Vendi', job => job.spread?.vendi, 2, true], ['SPP', job => job.spread?.spp, 3, true], ['SPP along', job => job.spread?.d_dep, 3, true],
  ['SPP across', job => job.spread?.d_ind, 3, true], ['Pairwise', job => job.spread?.pairwise, 3, true],
  ['CLIPScore', job => job.spread?.clip_score, 3, true], ['Seconds', job => job.cost?.seconds || undefined, 1, false],
];

// People compare what they read: values that are shown alike are marked alike, and where all are alike none is.
const bestOf = (values, decimals, isMoreBetter) => {
  const known = values.filter(value => Number.isFinite(value));
  const best = shown(isMoreBetter ? Math.max(...known) : Math.min(...known), decimals);
  const isTelling = new Set(known.map(value => shown(value, decimals))).size > 1;
  return values.map(value => isTelling && shown(value, decimals) === best);
};

export const letterOf = k => h('span', {class: `letter m${k % 8}`, 'aria-hidden': 'true'}, String.fromCharCode(65 + k));

export const makeTable = jobs => {
  const best = COLUMNS.map(([, read, decimals, isMoreBetter]) => bestOf(jobs.map(read), decimals, isMoreBetter));
  const cell = (job, k) => ([, read, decimals], column) => {
    const text = shown(read(job), decimals);
    return h('td', {}, best[column][k] ? h('span', {class: 'best'}, text) : text);
  };
  const row = (job, k) => h('tr', {}, h('th', {scope: 'row'}, letterOf(k), ' ', shortMethod(job)), COLUMNS.map(cell(job, k)));
  const heads = COLUMNS.map(([name, , , isMoreBetter]) => h('th', {scope: 'col'}, `${name} ${isMoreBetter ? '↑' : '↓'}`));
  return h('table', {}, h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'Method'), heads)),
    h('tbody', {}, jobs.map(row)));
};

const named = job => shortMethod(job) === 'none' ? 'plain guidance' : shortMethod(job);

// The set that spreads furthest, beside plain guidance where that is there.
export const verdict = jobs => {
  const done = jobs.filter(job => job.spread?.vendi).sort((a, b) => b.spread.vendi - a.spread.vendi);
  if (done.length < 2) return '';
  const [most] = done;
  const other = done.find(job => shortMethod(job) === 'none' && job !== most) ?? done.at(-1);
  const [vendi, rest] = [most, other].map(job => shown(job.spread.vendi, 1));
  if (vendi === rest) return `Each set is worth about ${vendi} images that have nothing in common.`;
  const change = most.spread.clip_score - other.spread.clip_score;
  const score = `(CLIPScore ${change < 0 ? '−' : '+'}${shown(Math.abs(change), 3)})`;
  const match = Math.abs(change) < 0.0015 ? 'matches the prompt as well' : `matches the prompt ${change < 0 ? 'less' : 'better'} ${score}`;
  return `Furthest apart are the images of ${named(most)}: the ${most.images.length} are worth about ${vendi} that have nothing in common, ` +
    `those of ${named(other)} ${rest}. The set ${match}. ` +
    'A method that looks through the guide may look better to it than it is.';
};
