// The set on the sphere of the guide's embeddings, as far as the set reaches.

import {imagePath, showPicture} from './api.js';
import {announce, button, h, svg} from './dom.js';
import {makeFan, niceSteps, placesOf, separated} from './fan.js';
import {watchMoves} from './map_moves.js';
import {imageName} from './tiles.js';
import {shown} from './words.js';

const NARROW = 560;  // pixels
const MOST_ZOOM = 12;
const MOST_STRETCH = 1.7;
const TOP = 28;  // room for a line of text
const GAP = 4;
const SMALLEST = 34;
const LARGEST = 128;
const LABEL = 'Map of the set. Arrow keys move it, plus and minus zoom, 0 shows all.';
const HINT = 'A part of the sphere on which the guide sees the images: the prompt is its pole, and from side to side runs what the images ' +
  'differ in most. Drag to move; zoom with two fingers, Ctrl and the wheel, or + and −.';

export const hasMap = job => (job.images?.length ?? 0) > 1 && placesOf(job) !== null;

const makeThumb = (job, image, place, onOpen) => {
  const picture = h('img', {alt: '', draggable: 'false'});
  showPicture(picture, imagePath(job.id, image.index));
  const label = `${imageName(job, image, job.images.length)}; ${shown(place[0], 2)} across, ${shown(place[1], 3)} along`;
  return button(picture, onOpen, {class: 'thumb', 'data-index': image.index, 'aria-label': label});
};

const drawGraticule = (drawing, fan, {width, height, project}) => {
  drawing.setAttribute('viewBox', `0 0 ${width} ${height}`);
  drawing.replaceChildren();
  const line = (places, name) => {
    const points = places.map(place => project(place).map(value => value.toFixed(1)).join(',')).join(' ');
    drawing.append(svg('polyline', {class: name, points}));
  };
  const arc = along => Array.from({length: 41}, (_, k) => fan.at(fan.most * (k / 20 - 1), along));
  line([...arc(fan.high), ...arc(fan.low).reverse(), fan.at(-fan.most, fan.high)], 'ground');
  for (let k = -4; k <= 4; ++k) {
    const across = fan.most * k / 4;
    line([fan.at(across, fan.high), fan.at(across, fan.low)], k === 0 ? 'grid zero' : 'grid');
  }
  const {steps, decimals} = niceSteps(fan.low, fan.high, 4);
  for (const along of steps) {
    line(arc(along), 'grid');
    const [x, y] = project(fan.at(-fan.most, along));
    drawing.append(svg('text', {x: Math.max(4, x - 4), y: y - 4, class: x < 60 ? '' : 'end'}, along.toFixed(decimals)));
  }
};

const place = (thumb, [x, y], side) => {
  thumb.style.width = thumb.style.height = `${side}px`;
  thumb.style.transform = `translate(${(x - side / 2).toFixed(1)}px,${(y - side / 2).toFixed(1)}px)`;
};

// What is seen: how far it is zoomed and moved, and where places lie on the screen.
const makeView = field => {
  let zoom = 1;
  let shift = [0, 0];
  const middle = () => [field.clientWidth / 2, field.clientHeight / 2];
  return {
    zoom: () => zoom,
    reset: () => { [zoom, shift] = [1, [0, 0]]; },
    moveBy: (dx, dy) => { shift = [shift[0] + dx, shift[1] + dy]; },
    // What lies at `point` stays there.
    zoomBy: (factor, point = middle()) => {
      const next = Math.min(MOST_ZOOM, Math.max(1, zoom * factor));
      const ratio = next / zoom;
      shift = next === 1 ? [0, 0] : shift.map((value, axis) => value * ratio + (1 - ratio) * (point[axis] - middle()[axis]));
      zoom = next;
    },
    projection: ({box}) => {
      const {clientWidth: width, clientHeight: height} = field;
      const fits = [width / (box.right - box.left), (height - TOP) / (box.bottom - box.top)];
      const scale = fits.map(fit => Math.min(fit, MOST_STRETCH * Math.min(...fits)) * 0.94 * zoom);
      const center = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
      const project = ([x, y]) => [
        width / 2 + (x - center[0]) * scale[0] + shift[0], (height + TOP) / 2 + (y - center[1]) * scale[1] + shift[1]];
      return {width, height, project};
    },
  };
};

// A picture that is reached with Tab comes into sight.
const onFocus = (field, moveBy) => field.addEventListener('focusin', event => {
  if (!event.target.matches('.thumb:focus-visible')) return;
  field.scrollLeft = field.scrollTop = 0;
  const [frame, thumb] = [field.getBoundingClientRect(), event.target.getBoundingClientRect()];
  const by = (low, high, from, to) => low < from ? from - low + GAP : high > to ? to - high - GAP : 0;
  moveBy(by(thumb.left, thumb.right, frame.left, frame.right), by(thumb.top, thumb.bottom, frame.top, frame.bottom));
});

export const makeMap = (job, {onOpen, selection}) => {
  const places = placesOf(job);
  const drawing = svg('svg', {'aria-hidden': 'true'});
  const thumbs = job.images.map((image, i) => makeThumb(job, image, places[i], () => { if (!moves.hasDragged()) onOpen(image.index); }));
  const field = h('div', {class: 'map-field', role: 'group', tabindex: 0, 'aria-label': LABEL}, drawing, thumbs,
    h('span', {class: 'map-up', 'aria-hidden': 'true'}, '↑ nearer to the prompt'));
  const view = makeView(field);

  const draw = () => {
    if (!field.clientWidth) return;
    const fan = makeFan(places, field.clientWidth < NARROW);
    const now = view.projection(fan);
    drawGraticule(drawing, fan, now);
    const fair = Math.sqrt(0.15 * now.width * now.height / places.length);
    const side = Math.round(Math.max(SMALLEST, Math.min(LARGEST, fair)) * view.zoom() ** 0.45);
    const dots = places.map(([across, along]) => now.project(fan.at(across, along)));
    const centers = separated(dots, side + GAP, view.zoom() === 1 ? [now.width, now.height] : null);
    dots.forEach(([x, y], i) => {
      const [x2, y2] = centers[i];
      drawing.append(svg('line', {x1: x, y1: y, x2, y2, class: 'leader'}), svg('circle', {cx: x, cy: y, r: 4}));
      place(thumbs[i], centers[i], side);
    });
  };
  const act = {
    moveBy: (dx, dy) => { view.moveBy(dx, dy); draw(); },
    zoomBy: (factor, point) => { view.zoomBy(factor, point); draw(); announce(`Zoom ${Math.round(100 * view.zoom())} %`); },
    fit: () => { view.reset(); draw(); },
  };
  const moves = watchMoves(field, act);
  onFocus(field, act.moveBy);
  field.addEventListener('keydown', event => {
    const index = Number(event.target.dataset?.index ?? NaN);
    if (event.key === 'x' && !Number.isNaN(index)) selection.select(index, !selection.has(index));
  });
  const observer = new ResizeObserver(draw);
  observer.observe(field);

  return {
    element: h('div', {class: 'map'}, h('div', {class: 'map-tools', role: 'group', 'aria-label': 'Map'},
      button('+', () => act.zoomBy(1.4), {'aria-label': 'Zoom in'}), button('−', () => act.zoomBy(1 / 1.4), {'aria-label': 'Zoom out'}),
      button('Show all', act.fit)), field, h('p', {class: 'note'}, HINT)),
    mark: chosen => thumbs.forEach(thumb => thumb.classList.toggle('selected', chosen.has(Number(thumb.dataset.index)))),
    stop: () => { observer.disconnect(); moves.stop(); },
  };
};
