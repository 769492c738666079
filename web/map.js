// The set on the sphere of the guide's embeddings: a fan of it below the prompt, which is the pole. Nearer to the pole is nearer to
// the prompt; from side to side runs the axis that the images differ along most.

import {imagePath, showPicture} from './api.js';
import {announce, button, h, svg} from './dom.js';
import {imageName} from './tiles.js';
import {shown} from './words.js';

const LEAST_RANGE = 0.02;  // smaller differences to the prompt are not blown up to fill the fan
const MOST_ZOOM = 12;
const MOST_STRETCH = 1.7;
const TOP = 28;  // room for a line of text
const ROUNDS = 80;

const places = job => {
  const {along = [], across = []} = job.spread ?? {};
  if (along.length === job.images.length && across.length === along.length) return job.images.map((_, i) => [across[i], along[i]]);
  return job.images.every(image => image.place) ? job.images.map(image => image.place) : null;
};

export const hasMap = job => (job.images?.length ?? 0) > 1 && places(job) !== null;

const niceSteps = (low, high, about) => {
  const raw = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(factor => factor * power).find(candidate => candidate >= raw);
  const steps = [];
  for (let value = Math.ceil(low / step) * step; value <= high + step / 1e6; value += step) steps.push(value);
  return {steps, decimals: Math.max(0, -Math.floor(Math.log10(step) + 1e-9))};
};

// World coordinates: the pole is (0, 0), down is positive. Narrow windows get a taller fan.
const makeFan = (points, isNarrow) => {
  const angle = isNarrow ? 0.5 : 0.66;
  const [inner, outer] = isNarrow ? [0.75, 2] : [1.15, 2];
  const alongs = points.map(point => point[1]);
  const middle = (Math.min(...alongs) + Math.max(...alongs)) / 2;
  const half = Math.max(LEAST_RANGE, Math.max(...alongs) - Math.min(...alongs)) * 0.62;
  const most = Math.max(0.05, ...points.map(point => Math.abs(point[0]))) * 1.12;
  const [low, high] = [middle - half, middle + half];
  const at = (across, along) => {
    const turn = angle * across / most;
    const radius = inner + (outer - inner) * (high - along) / (high - low);
    return [radius * Math.sin(turn), radius * Math.cos(turn)];
  };
  return {at, low, high, most, box: {left: -outer * Math.sin(angle), right: outer * Math.sin(angle), top: inner * Math.cos(angle), bottom: outer}};
};

// Moves thumbnails off each other, as little as that takes; each stays tied to its place by a line.
const separated = (points, side) => {
  const moved = points.map((point, i) => [point[0] + 0.01 * (i % 3), point[1] + 0.01 * (i % 2)]);
  for (let round = 0; round < ROUNDS; ++round) {
    for (let i = 0; i < moved.length; ++i) {
      for (let j = i + 1; j < moved.length; ++j) {
        const dx = moved[j][0] - moved[i][0];
        const dy = moved[j][1] - moved[i][1];
        const overlap = [side - Math.abs(dx), side - Math.abs(dy)];
        if (overlap[0] <= 0 || overlap[1] <= 0) continue;
        const axis = overlap[0] < overlap[1] ? 0 : 1;
        const push = overlap[axis] / 4 * (([dx, dy][axis] || 1) < 0 ? -1 : 1);
        moved[i][axis] -= push;
        moved[j][axis] += push;
      }
    }
  }
  return moved;
};

export const makeMap = (job, {onOpen, onSelect, selected}) => {
  const points = places(job);
  const drawing = svg('svg', {'aria-hidden': 'true'});
  const thumbs = job.images.map(image => {
    const picture = h('img', {alt: '', draggable: 'false'});
    showPicture(picture, imagePath(job.id, image.index));
    const place = points[job.images.indexOf(image)];
    return button(picture, () => { if (!hasDragged) onOpen(image.index); }, {class: 'thumb', 'data-index': image.index,
      'aria-label': `${imageName(job, image, job.images.length)}; ${shown(place[0], 2)} across, ${shown(place[1], 3)} along`});
  });
  const field = h('div', {class: 'map-field', role: 'group', tabindex: 0, 'aria-label': 'Map of the set. Arrow keys move it, plus and minus zoom, 0 shows all.'}, drawing, thumbs, h('span', {class: 'map-up', 'aria-hidden': 'true'}, '↑ nearer to the prompt'));
  const hint = h('p', {class: 'note'}, 'A part of the sphere on which the guide sees the images: the prompt is its pole, and from side to side runs what the images differ in most. Drag to move; zoom with two fingers, Ctrl and the wheel, or + and −.');
  let fan = null;
  let [zoom, shift] = [1, [0, 0]];
  let hasDragged = false;

  const view = () => {
    const {clientWidth: width, clientHeight: height} = field;
    const {box} = fan;
    const fits = [width / (box.right - box.left), (height - TOP) / (box.bottom - box.top)];
    const scale = fits.map(fit => Math.min(fit, MOST_STRETCH * Math.min(...fits)) * 0.94 * zoom);
    const center = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    return {width, height, project: ([x, y]) => [width / 2 + (x - center[0]) * scale[0] + shift[0], (height + TOP) / 2 + (y - center[1]) * scale[1] + shift[1]]};
  };

  const line = (project, worlds, attributes) => drawing.append(svg('polyline',
    {...attributes, points: worlds.map(world => project(world).map(value => value.toFixed(1)).join(',')).join(' ')}));
  const drawGraticule = ({width, height, project}) => {
    drawing.setAttribute('viewBox', `0 0 ${width} ${height}`);
    drawing.replaceChildren();
    const along = niceSteps(fan.low, fan.high, 4);
    const across = Array.from({length: 9}, (_, k) => fan.most * (k / 4 - 1));
    const arc = value => Array.from({length: 41}, (_, k) => fan.at(fan.most * (k / 20 - 1), value));
    line(project, [...arc(fan.high), ...arc(fan.low).reverse(), fan.at(-fan.most, fan.high)], {class: 'ground'});
    for (const value of across) line(project, [fan.at(value, fan.high), fan.at(value, fan.low)], {class: value === 0 ? 'grid zero' : 'grid'});
    for (const value of along.steps) {
      line(project, arc(value), {class: 'grid'});
      const [x, y] = project(fan.at(-fan.most, value));
      drawing.append(svg('text', {x: Math.max(4, x - 4), y: y - 4, class: x < 60 ? '' : 'end'}, value.toFixed(along.decimals)));
    }
  };

  const draw = () => {
    if (!field.clientWidth) return;
    fan = makeFan(points, field.clientWidth < 560);
    const now = view();
    drawGraticule(now);
    const side = Math.round(Math.max(34, Math.min(128, Math.sqrt(0.15 * now.width * now.height / points.length))) * zoom ** 0.45);
    const dots = points.map(point => now.project(fan.at(...point)));
    const centers = separated(dots, side + 4);
    if (zoom === 1) for (const center of centers) [now.width, now.height].forEach((room, k) => { center[k] = Math.min(room - side / 2 - 4, Math.max(side / 2 + 4, center[k])); });
    dots.forEach(([x, y], i) => {
      drawing.append(svg('line', {x1: x, y1: y, x2: centers[i][0], y2: centers[i][1], class: 'leader'}));
      drawing.append(svg('circle', {cx: x, cy: y, r: 4}));
      const {style} = thumbs[i];
      style.width = style.height = `${side}px`;
      style.transform = `translate(${(centers[i][0] - side / 2).toFixed(1)}px,${(centers[i][1] - side / 2).toFixed(1)}px)`;
    });
  };

  const zoomBy = (factor, [x, y] = [field.clientWidth / 2, field.clientHeight / 2]) => {
    const next = Math.min(MOST_ZOOM, Math.max(1, zoom * factor));
    const ratio = next / zoom;
    shift = [shift[0] * ratio + (1 - ratio) * (x - field.clientWidth / 2), shift[1] * ratio + (1 - ratio) * (y - field.clientHeight / 2)];
    zoom = next;
    if (zoom === 1) shift = [0, 0];
    draw();
    announce(`Zoom ${Math.round(100 * zoom)} %`);
  };
  const moveBy = (dx, dy) => { shift = [shift[0] + dx, shift[1] + dy]; draw(); };
  const fit = () => { [zoom, shift] = [1, [0, 0]]; draw(); };

  // Pointers: one drags, two pinch.
  const pointers = new Map();
  const local = event => { const {left, top} = field.getBoundingClientRect(); return [event.clientX - left, event.clientY - top]; };
  field.addEventListener('pointerdown', event => { pointers.set(event.pointerId, local(event)); if (pointers.size === 1) hasDragged = false; });
  const end = new AbortController();
  addEventListener('pointermove', event => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const now = local(event);
    if (pointers.size === 1) {
      if (!hasDragged && Math.hypot(now[0] - before[0], now[1] - before[1]) < 4) return;
      hasDragged = true;
      moveBy(now[0] - before[0], now[1] - before[1]);
    } else {
      const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
      hasDragged = true;
      zoomBy(Math.hypot(now[0] - other[0], now[1] - other[1]) / Math.max(1, Math.hypot(before[0] - other[0], before[1] - other[1])), other);
    }
    pointers.set(event.pointerId, now);
  }, {signal: end.signal});
  for (const name of ['pointerup', 'pointercancel']) addEventListener(name, event => pointers.delete(event.pointerId), {signal: end.signal});
  field.addEventListener('wheel', event => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoomBy(Math.exp(-event.deltaY / 300), local(event));
  }, {passive: false});
  field.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = {ArrowLeft: () => moveBy(60, 0), ArrowRight: () => moveBy(-60, 0), ArrowUp: () => moveBy(0, 60), ArrowDown: () => moveBy(0, -60),
      '+': () => zoomBy(1.4), '=': () => zoomBy(1.4), '-': () => zoomBy(1 / 1.4), 0: fit}[event.key];
    if (act) { event.preventDefault(); act(); }
    const index = event.target.dataset?.index;
    if (event.key === 'x' && index !== undefined) { onSelect(Number(index), !selected.has(Number(index))); event.preventDefault(); }
  });
  // A picture that is reached with Tab comes into sight.
  field.addEventListener('focusin', event => {
    if (!event.target.matches('.thumb:focus-visible')) return;
    field.scrollLeft = field.scrollTop = 0;
    const [frame, thumb] = [field.getBoundingClientRect(), event.target.getBoundingClientRect()];
    const by = (low, high, from, to) => low < from ? from - low + 8 : high > to ? to - high - 8 : 0;
    moveBy(by(thumb.left, thumb.right, frame.left, frame.right), by(thumb.top, thumb.bottom, frame.top, frame.bottom));
  });
  const observer = new ResizeObserver(draw);
  observer.observe(field);

  return {
    element: h('div', {class: 'map'}, h('div', {class: 'map-tools', role: 'group', 'aria-label': 'Map'}, button('+', () => zoomBy(1.4), {'aria-label': 'Zoom in'}),
      button('−', () => zoomBy(1 / 1.4), {'aria-label': 'Zoom out'}), button('Show all', fit)), field, hint),
    mark: chosen => thumbs.forEach(thumb => thumb.classList.toggle('selected', chosen.has(Number(thumb.dataset.index)))),
    stop: () => { observer.disconnect(); end.abort(); },
  };
};
