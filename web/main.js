// The page of `gass serve`: which view is shown, and the keys.

import {get, post} from './api.js';
import {makeComposer} from './composer.js';
import {loadCompareView} from './compare_view.js';
import {announce, button, h, isTyping, openDialog, recall, remember, toast} from './dom.js';
import {loadHistory, loadHome} from './history_view.js';
import {inspectPicture, watchForPictures} from './inspect.js';
import {loadSetView, makeSetView} from './set_view.js';

const KEYS = [['Enter', 'make the set (in the prompt; Shift and Enter begins a new line)'], ['/', 'go to the prompt, or to the search'], ['.', 'stop'],
  ['arrows', 'go from picture to picture, or move the map'], ['x', 'select the picture that has the focus'], ['a', 'select all'],
  ['k', 'keep the selected ones and make the others again'], ['g', 'show as a grid'], ['m', 'show as a map'], ['+ − 0', 'zoom the map, show all of it'], ['d', 'download the set'],
  ['h', 'history'], ['n', 'a new set'], ['?', 'this list'], ['Esc', 'close what is open']];
const SCHEMES = ['auto', 'light', 'dark'];

const view = document.getElementById('view');
const composerHolder = document.getElementById('composer');
let composer = null;
let capabilities = null;
let current = null;
let isWithKeys = recall('keys') ?? true;
let turn = 0;

const go = hash => { if (location.hash === hash) route(); else location.hash = hash; };

const show = next => {
  current?.stop();
  current = next;
  view.replaceChildren(next.element);
};

const onMake = async body => {
  const job = await post('jobs', body);
  // The set is shown at once; the address follows, so that a reload finds it.
  history.pushState(null, '', `#set/${job.id}`);
  turn += 1;
  drawChrome();
  show(makeSetView(job, options));
  // The selection's buttons are gone with the old set: the keyboard goes on from the new one.
  if (document.activeElement === document.body) current.title.focus({preventScroll: true});
};
const onCompare = async body => {
  const {jobs} = await post('compare', body);
  go(`#compare/${jobs.map(job => job.id).join(',')}`);
};
const onReuse = settings => {
  if (location.hash.startsWith('#history')) go('#');
  composerHolder.hidden = false;
  composer.fill(settings);
  composer.prompt.focus();
  scrollTo({top: 0});
  announce('The settings are in the form');
};
const onExample = text => { composer.prompt.value = text; composer.element.requestSubmit(); };
const options = {can: [], onMake, onCompare, onReuse, onExample, onGone: () => go('#'), onAway: picture => {
  composer.keepAwayFrom(picture);
  composer.prompt.focus();
}};

const drawChrome = () => {
  const isHistory = location.hash.startsWith('#history');
  composerHolder.hidden = isHistory;
  for (const [id, isCurrent] of [['to-history', isHistory], ['to-make', !isHistory]]) {
    document.getElementById(id).setAttribute('aria-current', isCurrent ? 'page' : 'false');
  }
};

const load = () => {
  const [name, rest = ''] = location.hash.replace(/^#/, '').split('/');
  if (name === 'set' && /^[A-Za-z0-9]+$/.test(rest)) return loadSetView(rest, options);
  if (name === 'compare' && /^[A-Za-z0-9,]+$/.test(rest)) return loadCompareView(rest.split(','), options);
  if (name === 'history') return loadHistory(options);
  document.title = 'gass';
  return loadHome(options);
};

const route = async ({isFirst = false} = {}) => {
  const mine = ++turn;
  drawChrome();
  try {
    const next = await load();
    if (mine !== turn) return next.stop();
    show(next);
    if (!isFirst) (next.title ?? composer.prompt).focus();
    // What is opened goes on from where it was, unless something else is being written.
    if (next.request && composer.isEmpty()) composer.fill({...next.request, seed: undefined});
  } catch (error) {
    if (mine !== turn) return;
    current?.stop();
    current = null;
    view.replaceChildren(h('section', {class: 'set'}, h('h2', {}, error.status === 404 ? 'This set is not there any more' : 'This did not work'), h('p', {class: 'error'}, error.message),
      h('p', {}, h('a', {href: '#history'}, 'See what is there'))));
  }
};

const showKeys = () => {
  const box = openDialog('Keys', [h('h2', {}, 'Keys'), h('dl', {class: 'keys'}, KEYS.flatMap(([key, text]) => [h('dt', {}, h('kbd', {}, key)), h('dd', {}, text)])),
    h('label', {class: 'choice'}, h('input', {type: 'checkbox', checked: isWithKeys, onchange: event => {
      isWithKeys = event.currentTarget.checked;
      remember('keys', isWithKeys);
    }}), 'Use single letters as keys')], 'small');
  return box;
};

const GLOBAL = {'/': () => { composerHolder.hidden ? undefined : composer.prompt.focus(); scrollTo({top: 0}); }, h: () => go('#history'), n: () => { go('#'); }, '?': showKeys};
document.addEventListener('keydown', event => {
  if (!isWithKeys || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target) || document.querySelector('dialog[open]')) return;
  const act = current?.keys[event.key] ?? GLOBAL[event.key];
  if (act) { event.preventDefault(); act(); }
});

const schemeButton = document.getElementById('scheme');
const drawScheme = () => { schemeButton.textContent = `Colours: ${document.documentElement.dataset.scheme}`; };
schemeButton.addEventListener('click', () => {
  const next = SCHEMES[(SCHEMES.indexOf(document.documentElement.dataset.scheme) + 1) % SCHEMES.length];
  document.documentElement.dataset.scheme = next;
  remember('scheme', next);
  drawScheme();
  announce(schemeButton.textContent);
});
drawScheme();
document.getElementById('help').addEventListener('click', showKeys);
document.getElementById('skip').addEventListener('click', event => { event.preventDefault(); composer?.prompt.focus(); });
addEventListener('hashchange', () => route());

const opened = file => inspectPicture(file, options);
const picker = h('input', {type: 'file', accept: 'image/png,image/jpeg,image/webp', onchange: () => { if (picker.files[0]) opened(picker.files[0]); picker.value = ''; }});
document.getElementById('open-picture').addEventListener('click', () => picker.click());
watchForPictures(document, document.getElementById('drop'), opened);

const start = async () => {
  try {
    capabilities = await get('capabilities');
  } catch (error) {
    view.replaceChildren(h('section', {class: 'set'}, h('p', {class: 'error', role: 'alert'}, error.status === 503 ? 'The server is loading its models; this page tries again.' : error.message),
      button('Try again', start)));
    if (error.status === 503) setTimeout(start, 1500);
    return;
  }
  options.can = capabilities.can ?? [];
  // What was typed while the page loaded is kept.
  const typed = document.getElementById('prompt').value;
  composer = makeComposer(capabilities, options);
  composer.prompt.value = typed;
  composerHolder.replaceChildren(composer.element);
  document.getElementById('version').textContent = `gass ${capabilities.version}`;
  if (!location.hash.startsWith('#history')) composer.prompt.focus({preventScroll: true});
  await route({isFirst: true});
};

start().catch(error => toast(error.message, {isError: true}));
