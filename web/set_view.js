// One set: while it is made, and when it is there.

import {get, post, remove} from './api.js';
import {announce, button, confirmed, h, toast} from './dom.js';
import {makeDownloads, saveImages, saveZip} from './downloads.js';
import {follow, isFinal} from './feed.js';
import {openLightbox} from './lightbox.js';
import {hasMap, makeMap} from './map.js';
import {makeNumbers} from './numbers.js';
import {makeRecipe} from './recipe.js';
import {makeRunning} from './running.js';
import {makeSelection} from './selection.js';
import {makeTiles} from './tiles.js';
import {endLine, originLine, wishLines} from './words.js';

const complain = error => toast(error.message, {isError: true});

// Prompt, model, size and all, as they were wished for, and the seed as it was drawn.
const settingsOf = ({request, plan}) => ({model: plan?.model, images: plan?.images, ...request, seed: plan?.seed ?? request.seed});

const makeHead = job => {
  const title = h('h2', {dir: 'auto', tabindex: -1}, job.request?.prompt || 'no prompt');
  const origin = h('p', {class: 'origin'});
  const wishes = h('p', {class: 'note'});
  const draw = now => {
    origin.textContent = originLine(now);
    wishes.replaceChildren(...wishLines(now).flatMap((text, k) => k ? [h('br'), text] : [text]));
    wishes.hidden = !wishes.firstChild;
  };
  return {title, element: h('div', {}, title, origin, wishes), draw};
};

// The grid and the map, one of which is shown.
const makeViews = (job, tiles, selection, onOpen) => {
  let map = null;
  const holder = h('div', {hidden: true});
  const grid = button('Grid', () => show(false), {'aria-pressed': 'true', 'aria-keyshortcuts': 'g'});
  const asMap = button('Map', () => show(true), {'aria-pressed': 'false', disabled: true, 'aria-keyshortcuts': 'm'});
  const show = isMapWanted => {
    const isMap = isMapWanted && hasMap(job());
    if (isMap && !map) {
      map = makeMap(job(), {onOpen, selection});
      holder.replaceChildren(map.element);
    }
    holder.hidden = !isMap;
    tiles.element.hidden = isMap;
    asMap.setAttribute('aria-pressed', String(isMap));
    grid.setAttribute('aria-pressed', String(!isMap));
    selection.mark();
    if (isMapWanted) announce(isMap ? 'Shown as a map' : 'This set has no map');
  };
  return {
    holder, show, element: h('div', {class: 'switch', role: 'group', 'aria-label': 'Show as'}, grid, asMap),
    draw: () => {
      asMap.disabled = !hasMap(job());
      asMap.title = hasMap(job()) ? '' : 'A map needs two images or more, and a guide that sees them';
      if (!job().images?.length) tiles.element.hidden = true;
    },
    mark: selected => map?.mark(selected),
    stop: () => map?.stop(),
  };
};

// Each image's own text and its places on the axes stand in the record.
const addOwnLines = async job => {
  const {images, request} = job;
  if (!images?.length || images[0].prompt || !(request.vary || /\{.*\|/s.test(request.prompt))) return;
  const record = await get(`jobs/${job.id}/record`).catch(() => null);
  for (const image of images) {
    const {prompt, axis_places: places} = record?.images[image.index] ?? {};
    Object.assign(image, {prompt, axis_places: places});
  }
};

export const makeSetView = (first, {can, onMake, onReuse, onGone}) => {
  let state = {job: first, previews: new Map()};
  let isEnded = isFinal(first);
  const job = () => state.job;
  const n = first.plan?.images ?? first.request?.images ?? first.images?.length ?? 4;

  const stop = () => post(`jobs/${first.id}/cancel`).then(job => update({...state, job}), complain);
  const drop = async () => {
    if (!await confirmed('Delete this set and its pictures?')) return;
    await remove(`jobs/${first.id}`).then(onGone, complain);
  };
  const enlarge = index => openLightbox(job(), index, isFinal(job()) ? selection : null);

  const head = makeHead(first);
  const running = makeRunning(stop);
  const ended = h('p', {class: 'ended', hidden: true});
  const tiles = makeTiles(n, {onOpen: enlarge, onSelect: (index, isOn) => selection.select(index, isOn)});
  const selection = makeSelection(job, {can, onMake, onMark: selected => { tiles.mark(selected); views.mark(selected); },
    onDownload: images => saveImages(job(), images)});
  const views = makeViews(job, tiles, selection, enlarge);
  const downloads = makeDownloads(job);
  const actions = h('div', {class: 'row actions', hidden: true}, views.element, downloads,
    button('Use these settings', () => onReuse(settingsOf(job()))), button('Delete', drop, {class: 'quiet danger-text'}));
  const below = h('div', {});
  const element = h('section', {class: 'set'}, h('header', {class: 'set-head'}, head.element, actions), running.element, ended,
    tiles.element, views.holder, selection.element, below);

  const end = () => {
    const hasImages = Boolean(job().images?.length);
    running.element.hidden = true;
    ended.hidden = actions.hidden = false;
    ended.classList.toggle('error', job().state === 'failed');
    ended.textContent = endLine(job());
    views.element.hidden = downloads.hidden = !hasImages;
    views.draw();
    below.replaceChildren(makeNumbers(job()), makeRecipe(job()));
    document.title = `${job().request.prompt} – gass`;
    if (!isEnded) announce(`${endLine(job())}.`);
    isEnded = true;
    addOwnLines(job()).then(() => tiles.update(state));
  };
  const update = next => {
    state = next;
    head.draw(job());
    tiles.update(state);
    if (isFinal(job())) end(); else running.draw(state);
  };
  update(state);
  const feed = follow(first, update, complain);

  const whenDone = act => () => { if (job().images?.length && isFinal(job())) act(); };
  return {
    element, title: head.title, request: first.request,
    stop: () => { feed.stop(); views.stop(); },
    keys: {g: () => views.show(false), m: () => views.show(true), '.': () => { if (!isFinal(job())) stop(); },
      k: selection.keep, a: whenDone(selection.all), d: whenDone(() => saveZip(job()))},
  };
};

export const loadSetView = async (id, options) => makeSetView(await get(`jobs/${id}`), options);
