// One set: while it is made, and when it is there.

import {blob, get, imagePath, post, remove, save} from './api.js';
import {announce, button, confirmed, h, toast} from './dom.js';
import {follow, isFinal} from './feed.js';
import {openLightbox} from './lightbox.js';
import {hasMap, makeMap} from './map.js';
import {makeRecipe} from './recipe.js';
import {makeTiles} from './tiles.js';
import {MEANINGS, endLine, meaning, originLine, progressLine, shown, slug, spreadLine, wishLines} from './words.js';

export const makeSetView = (first, {can, onMake, onReuse, onGone}) => {
  const selected = new Set();
  let state = {job: first, previews: new Map()};
  let map = null;
  let isEnded = false;
  const job = () => state.job;
  const n = first.plan?.images ?? first.request?.images ?? first.images?.length ?? 4;
  const name = () => slug(job().request.prompt);

  const origin = h('p', {class: 'origin'});
  const wishes = h('p', {class: 'note'});
  const bar = h('progress', {max: 1, 'aria-label': 'Progress of this set'});
  const line = h('span', {class: 'line'});
  const live = h('span', {class: 'note'});
  const stopButton = button('Stop', () => stop(), {class: 'stop', 'aria-keyshortcuts': '.'});
  const running = h('div', {class: 'running'}, bar, line, live, stopButton);
  const ended = h('p', {class: 'ended', hidden: true});

  const tiles = makeTiles(n, {onOpen: index => enlarge(index), onSelect: (index, isOn) => select(index, isOn)});
  const mapHolder = h('div', {hidden: true});
  const gridButton = button('Grid', () => showAs('grid'), {'aria-pressed': 'true', 'aria-keyshortcuts': 'g'});
  const mapButton = button('Map', () => showAs('map'), {'aria-pressed': 'false', disabled: true, 'aria-keyshortcuts': 'm'});
  const views = h('div', {class: 'switch', role: 'group', 'aria-label': 'Show as'}, gridButton, mapButton);

  const menu = h('details', {class: 'menu'}, h('summary', {}, 'Download'), h('div', {class: 'menu-items'},
    button('All in a zip', () => save(`jobs/${job().id}/zip`, `${name()}.zip`)),
    button('All, one by one', async () => { for (const image of job().images) await saveOne(image); }),
    button('Contact sheet', () => save(`jobs/${job().id}/sheet`, `${name()}-sheet.png`)),
    button('Record (JSON)', () => save(`jobs/${job().id}/record`, `${name()}.json`))));
  menu.addEventListener('click', event => { if (event.target.matches('button')) menu.open = false; });
  menu.addEventListener('keydown', event => { if (event.key === 'Escape' && menu.open) { menu.open = false; menu.firstChild.focus(); event.stopPropagation(); } });
  const actions = h('div', {class: 'row actions', hidden: true}, views, menu,
    button('Use these settings', () => onReuse({...job().request, ...job().plan, ...pickText(job().request)})),
    button('Delete', () => drop(), {class: 'quiet danger-text'}));

  const chosenLine = h('span', {});
  const keepButton = can.includes('keep') ? button('Keep these, make the others again', () => keep(), {class: 'main', 'aria-keyshortcuts': 'k'}) : null;
  const likeButton = can.includes('like') ? button('More like this', () => like([...selected][0])) : null;
  const awayButton = can.includes('away') ? button('A set away from these', () => away()) : null;
  const chosen = h('div', {class: 'chosen', role: 'region', 'aria-label': 'Selected images', hidden: true}, chosenLine,
    h('div', {class: 'row'}, keepButton, likeButton, awayButton,
      button('Download', async () => { for (const image of job().images.filter(one => selected.has(one.index))) await saveOne(image); }),
      button('Select none', () => { selected.clear(); mark(); gridButton.focus(); }, {class: 'quiet'})));

  const numbers = h('section', {class: 'numbers-part', hidden: true});
  const recipe = h('div', {});
  const title = h('h2', {dir: 'auto', tabindex: -1}, first.request?.prompt || 'no prompt');
  const element = h('section', {class: 'set'}, h('header', {class: 'set-head'}, h('div', {}, title, origin, wishes), actions),
    running, ended, tiles.element, mapHolder, chosen, numbers, recipe);

  const saveOne = image => save(imagePath(job().id, image.index), `${name()}-${image.seed}.png`);
  const pickText = request => ({prompt: request.prompt, negative_prompt: request.negative_prompt, vary: request.vary,
    method: request.method, strength: request.strength, steps: request.steps, cfg_scale: request.cfg_scale});

  const select = (index, isOn) => {
    if (isOn) selected.add(index); else selected.delete(index);
    mark();
    announce(`${selected.size} of ${job().images.length} selected`);
  };
  const mark = () => {
    tiles.mark(selected);
    map?.mark(selected);
    chosen.hidden = selected.size === 0;
    chosenLine.textContent = `${selected.size} of ${job().images.length} selected`;
    if (likeButton) likeButton.hidden = selected.size !== 1;
    if (keepButton) keepButton.hidden = selected.size === job().images.length;
  };
  const enlarge = index => openLightbox(job(), index, isFinal(job())
    ? {isSelected: one => selected.has(one), onSelect: select, onLike: likeButton ? like : undefined} : {});

  // The request again, without what concerns one set alone.
  const again = () => {
    const {keep: _keep, like: _like, away: _away, seed: _seed, client: _client, ...rest} = job().request;
    return rest;
  };
  const sorted = () => [...selected].sort((a, b) => a - b);
  const send = body => onMake(body).catch(error => toast(error.message, {isError: true}));
  const keep = () => send({...again(), seed: -1, keep: {job: job().id, images: sorted()}});
  const like = index => {
    const {method: _method, strength: _strength, vary: _vary, ...rest} = again();
    return send({...rest, like: {job: job().id, image: index}});
  };
  const away = () => {
    const {method = 'gass'} = again();
    return send({...again(), seed: -1, method: /(^|\+)spell/.test(method) ? method : method === 'none' ? 'spell' : `spell+${method}`,
      away: {job: job().id, images: sorted()}});
  };

  const stop = async () => {
    stopButton.disabled = true;
    try { state.job = await post(`jobs/${job().id}/cancel`); update(state); } catch (error) { toast(error.message, {isError: true}); }
    stopButton.disabled = false;
  };
  const drop = async () => {
    if (!await confirmed('Delete this set and its pictures for good?', 'Delete it')) return;
    try { await remove(`jobs/${job().id}`); onGone(); } catch (error) { toast(error.message, {isError: true}); }
  };

  const showAs = which => {
    const isMap = which === 'map' && hasMap(job());
    if (isMap && !map) {
      map = makeMap(job(), {onOpen: enlarge, onSelect: select, selected});
      mapHolder.replaceChildren(map.element);
    }
    mapHolder.hidden = !isMap;
    tiles.element.hidden = isMap;
    mapButton.setAttribute('aria-pressed', String(isMap));
    gridButton.setAttribute('aria-pressed', String(!isMap));
    mark();
    if (which === 'map') announce(isMap ? 'Shown as a map' : 'This set has no map');
  };

  const drawProgress = () => {
    const {step = 0, steps = 0, phase} = job().progress ?? {};
    if (job().state === 'queued' || !steps || phase === 'loading') bar.removeAttribute('value');
    else bar.value = phase === 'sampling' ? 0.95 * step / steps : ['decoding', 'saving'].includes(phase) ? 0.97 : 0.02;
    line.textContent = state.isConnected === false ? 'The connection is lost; trying again…' : progressLine(job());
    live.textContent = state.statistics?.spp ? `SPP ${shown(state.statistics.spp, 3)}` : '';
    // Not every step is said: each quarter is.
    announce(phase === 'sampling' && steps ? `Making the images: ${25 * Math.floor(4 * step / steps)} %` : progressLine(job()));
    document.title = `${steps ? Math.round(100 * step / steps) : 0} % – ${job().request.prompt} – gass`;
  };

  const makeStory = () => {
    const inside = h('div', {class: 'story'});
    const details = h('details', {ontoggle: async () => {
      if (!details.open || inside.firstChild) return;
      try {
        const url = URL.createObjectURL(await blob(`jobs/${job().id}/explain`));
        inside.replaceChildren(h('img', {src: url, alt: 'Drawings of the candidates, the steps and the finished images on the sphere'}));
      } catch (error) {
        inside.replaceChildren(h('p', {class: 'note'}, error.status === 404 ? 'This method tells nothing about its steps.' : error.message));
      }
    }}, h('summary', {}, 'What the method did'), inside);
    return details;
  };

  const drawNumbers = () => {
    const {spread} = job();
    numbers.hidden = !spread || job().images.length < 2;
    if (numbers.hidden) return;
    numbers.replaceChildren(h('h3', {}, 'How far it spreads'), h('p', {}, meaning(job())), h('p', {class: 'note'}, spreadLine(spread, job().images.length)),
      h('details', {}, h('summary', {}, 'What these numbers mean'), h('dl', {}, MEANINGS.flatMap(([term, text]) => [h('dt', {}, term), h('dd', {}, text)]))),
      /^none\b/.test(job().plan?.method ?? '') ? '' : makeStory());
  };

  // Each image's own text and its places on the axes stand in the record.
  const addOwnLines = async () => {
    const {images, request} = job();
    if (!images?.length || !(request.vary || /\{.*\|/s.test(request.prompt)) || images[0].prompt) return;
    const record = await get(`jobs/${job().id}/record`).catch(() => null);
    for (const image of images) Object.assign(image, {prompt: record?.images[image.index]?.prompt, axis_places: record?.images[image.index]?.axis_places});
    tiles.update(state);
  };

  const end = () => {
    addOwnLines();
    running.hidden = true;
    ended.hidden = false;
    ended.className = job().state === 'failed' ? 'ended error' : 'ended';
    ended.textContent = endLine(job());
    if (job().error) ended.textContent += `: ${job().error.message}`;
    actions.hidden = false;
    views.hidden = menu.hidden = !job().images?.length;
    mapButton.disabled = !hasMap(job());
    mapButton.title = hasMap(job()) ? '' : 'A map needs two images or more, and a guide that sees them';
    if (!job().images?.length) tiles.element.hidden = true;
    drawNumbers();
    recipe.replaceChildren(makeRecipe(job()));
    document.title = `${job().request.prompt} – gass`;
    if (!isEnded && !isFinal(first)) announce(`${endLine(job())}.`);
    isEnded = true;
  };

  const update = next => {
    state = next;
    origin.textContent = originLine(job());
    wishes.replaceChildren(...wishLines(job()).flatMap((text, k) => k ? [h('br'), text] : [text]));
    wishes.hidden = !wishes.firstChild;
    tiles.update(state);
    if (isFinal(job())) end(); else drawProgress();
  };
  update(state);
  const feed = follow(first, update, error => toast(error.message, {isError: true}));

  return {
    element, title, request: first.request,
    stop: () => { feed.stop(); map?.stop(); },
    keys: {g: () => showAs('grid'), m: () => showAs('map'), '.': () => { if (!isFinal(job())) stop(); }, k: () => { if (keepButton && !chosen.hidden && !keepButton.hidden) keep(); },
      a: () => { if (isFinal(job())) { for (const image of job().images) selected.add(image.index); mark(); } }, d: () => { if (isFinal(job()) && job().images.length) save(`jobs/${job().id}/zip`, `${name()}.zip`); }},
  };
};

export const loadSetView = async (id, options) => makeSetView(await get(`jobs/${id}`), options);
