// The page of `gass serve`: which view is shown, and what leads from one to the other.

import {get, post} from './api.js';
import {makeComposer} from './composer.js';
import {loadCompareView} from './compare_view.js';
import {announce, button, h, recall, remember, toast} from './dom.js';
import {loadHistory, loadHome} from './history_view.js';
import {inspectPicture, watchForPictures} from './inspect.js';
import {showKeys, watchKeys} from './keys.js';
import {loadSetView, makeSetView} from './set_view.js';

const SCHEMES = ['auto', 'light', 'dark'];
const RETRY_MS = 1500;

const part = id => document.getElementById(id);
let composer = null;
let current = null;
let turn = 0;

const go = hash => { if (location.hash === hash) route(); else location.hash = hash; };

const show = next => {
  current?.stop();
  current = next;
  part('view').replaceChildren(next.element);
};

const drawChrome = () => {
  const isHistory = location.hash.startsWith('#history');
  part('composer').hidden = isHistory;
  part('to-history').setAttribute('aria-current', isHistory ? 'page' : 'false');
  part('to-make').setAttribute('aria-current', isHistory ? 'false' : 'page');
};

const options = {
  can: [],
  onMake: async body => {
    const job = await post('jobs', body);
    // The set is shown at once; the address follows, so that a reload finds it.
    history.pushState(null, '', `#set/${job.id}`);
    turn += 1;
    drawChrome();
    show(makeSetView(job, options));
    // The buttons of the old set are gone: the keyboard goes on from the new one.
    if (document.activeElement === document.body) current.title.focus({preventScroll: true});
  },
  onCompare: async body => {
    const {jobs} = await post('compare', body);
    go(`#compare/${jobs.map(job => job.id).join(',')}`);
  },
  onReuse: settings => {
    if (location.hash.startsWith('#history')) go('#');
    part('composer').hidden = false;
    composer.fill(settings);
    composer.prompt.focus();
    scrollTo({top: 0});
    announce('The settings are in the form');
  },
  onExample: text => {
    composer.prompt.value = text;
    composer.element.requestSubmit();
  },
  onGone: () => go('#'),
  onAway: picture => {
    composer.keepAwayFrom(picture);
    composer.prompt.focus();
  },
};

const load = () => {
  const [name, rest = ''] = location.hash.replace(/^#/, '').split('/');
  if (name === 'set' && /^[A-Za-z0-9]+$/.test(rest)) return loadSetView(rest, options);
  if (name === 'compare' && /^[A-Za-z0-9,]+$/.test(rest)) return loadCompareView(rest.split(','), options);
  if (name === 'history') return loadHistory(options);
  document.title = 'gass';
  return loadHome(options);
};

const showFailure = error => {
  current?.stop();
  current = null;
  const title = error.status === 404 ? 'This set is not there any more' : 'This did not work';
  part('view').replaceChildren(h('section', {class: 'set'}, h('h2', {}, title), h('p', {class: 'error'}, error.message),
    h('p', {}, h('a', {href: '#history'}, 'See what is there'))));
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
    if (mine === turn) showFailure(error);
  }
};

const toPrompt = () => {
  if (part('composer').hidden) return;
  composer?.prompt.focus();
  scrollTo({top: 0});
};
const ALWAYS = {'/': toPrompt, h: () => go('#history'), n: () => go('#'), '?': showKeys};

const watchScheme = () => {
  const root = document.documentElement;
  const scheme = part('scheme');
  const draw = () => { scheme.textContent = `Colours: ${root.dataset.scheme}`; };
  scheme.addEventListener('click', () => {
    root.dataset.scheme = SCHEMES[(SCHEMES.indexOf(root.dataset.scheme) + 1) % SCHEMES.length];
    remember('scheme', root.dataset.scheme);
    draw();
    announce(scheme.textContent);
  });
  root.dataset.scheme = SCHEMES.includes(recall('scheme')) ? recall('scheme') : 'auto';
  draw();
};

const watchPictures = () => {
  const opened = file => inspectPicture(file, options);
  const picker = h('input', {type: 'file', accept: 'image/png,image/jpeg,image/webp', onchange: () => {
    if (picker.files[0]) opened(picker.files[0]);
    picker.value = '';
  }});
  part('open-picture').addEventListener('click', () => picker.click());
  watchForPictures(document, part('drop'), opened);
};

const start = async () => {
  let capabilities;
  try {
    capabilities = await get('capabilities');
  } catch (error) {
    const isLoading = error.status === 503;
    part('view').replaceChildren(h('section', {class: 'set'}, button('Try again', start),
      h('p', {class: 'error', role: 'alert'}, isLoading ? 'The server is loading its models; this page tries again.' : error.message)));
    if (isLoading) setTimeout(start, RETRY_MS);
    return;
  }
  options.can = capabilities.can ?? [];
  const typed = part('prompt').value;  // while the page loaded
  composer = makeComposer(capabilities, options);
  composer.prompt.value = typed;
  part('composer').replaceChildren(composer.element);
  part('version').textContent = `gass ${capabilities.version}`;
  if (!location.hash.startsWith('#history')) composer.prompt.focus({preventScroll: true});
  await route({isFirst: true});
};

watchScheme();
watchPictures();
watchKeys(key => current?.keys[key] ?? ALWAYS[key]);
part('help').addEventListener('click', showKeys);
part('skip').addEventListener('click', event => { event.preventDefault(); toPrompt(); });
addEventListener('hashchange', () => route());
start().catch(error => toast(error.message, {isError: true}));
