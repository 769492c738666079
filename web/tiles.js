// The pictures of a set as tiles: they are there from the start, sharpen with each preview, and can be chosen.

import {imagePath, showPicture} from './api.js';
import {button, h} from './dom.js';
import {isFinal} from './feed.js';
import {ownLines} from './words.js';

export const imageName = (job, image, n) => [`Image ${image.index + 1} of ${n}`, `seed ${image.seed}`, ...ownLines(job, image)].join(', ');

// Without `onSelect` a tile cannot be chosen.
const makeTile = (index, n, {onOpen, onSelect}) => {
  const image = h('img', {alt: ''});
  const open = button(image, () => onOpen(index), {class: 'open', disabled: true});
  const box = h('input', {type: 'checkbox', 'aria-label': `Select image ${index + 1}`, onchange: () => onSelect(index, box.checked)});
  const pick = h('label', {class: 'pick', hidden: true}, box);
  const caption = h('figcaption', {});
  const element = h('figure', {class: 'tile blank'}, h('div', {class: 'frame'}, open, pick), caption);
  let source = '';

  const show = path => {
    if (path === source) return;
    source = path;
    image.addEventListener('load', () => element.classList.remove('blank'), {once: true});
    showPicture(image, path);
  };
  const finish = (job, finished) => {
    show(imagePath(job.id, index));
    open.disabled = false;
    open.setAttribute('aria-label', `${imageName(job, finished, n)}: enlarge`);
    pick.hidden = !onSelect || !isFinal(job);
    caption.replaceChildren(`seed ${finished.seed}`, ...ownLines(job, finished).flatMap(line => [h('br'), line]));
    element.dataset.seed = finished.seed;
    element.classList.remove('rough');
  };
  const sharpen = ({step = 0, steps = 1}, preview) => {
    element.classList.add('rough');
    element.style.setProperty('--rough', Math.max(0, 1 - step / Math.max(1, steps)).toFixed(2));
    show(preview);
  };
  const update = ({job, previews}) => {
    const finished = job.images?.find(one => one.index === index);
    const {width, height} = finished ?? job.plan ?? job.request ?? {};
    if (width && height) Object.assign(image, {width, height});
    if (finished) finish(job, finished);
    else open.setAttribute('aria-label', `Image ${index + 1} of ${n}: ${isFinal(job) ? 'not made' : 'being made'}`);
    if (!finished && previews.has(index)) sharpen(job.progress ?? {}, previews.get(index));
    element.classList.toggle('waiting', !finished && !isFinal(job));
  };
  return {element, open, box, isPickable: () => !pick.hidden, update};
};

// Where an arrow key leads from a tile; null where it leads out.
const neighbour = (tiles, from, key) => {
  if (key === 'Home') return 0;
  if (key === 'End') return tiles.length - 1;
  const columns = tiles.filter(tile => tile.element.offsetTop === tiles[0].element.offsetTop).length;
  const to = from + ({ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns}[key] ?? NaN);
  return to >= 0 && to < tiles.length ? to : null;
};

export const makeTiles = (n, {onOpen, onSelect}) => {
  const tiles = Array.from({length: n}, (_, index) => makeTile(index, n, {onOpen, onSelect}));
  const element = h('div', {class: 'pictures'}, tiles.map(tile => tile.element));
  element.addEventListener('keydown', event => {
    const from = tiles.findIndex(tile => tile.element.contains(event.target));
    if (from < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = neighbour(tiles, from, event.key);
    if (event.key === 'x' && tiles[from].isPickable()) onSelect(from, !tiles[from].box.checked);
    else if (to !== null && !tiles[to].open.disabled) tiles[to].open.focus();
    else return;
    event.preventDefault();
  });
  return {
    element,
    update: state => { for (const tile of tiles) tile.update(state); },
    mark: selected => tiles.forEach((tile, index) => {
      tile.box.checked = selected.has(index);
      tile.element.classList.toggle('selected', selected.has(index));
    }),
  };
};
