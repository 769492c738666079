// The pictures of a set as tiles: they are there from the start, sharpen with each preview, and can be chosen.

import {imagePath, showPicture} from './api.js';
import {button, h} from './dom.js';
import {isFinal} from './feed.js';
import {ownLines} from './words.js';

export const imageName = (job, image, n) => {
  const own = ownLines(job, image).join(', ');
  return `Image ${image.index + 1} of ${n}${image.seed === undefined ? '' : `, seed ${image.seed}`}${own ? `, ${own}` : ''}`;
};

const makeTile = (index, {onOpen, onSelect}) => {
  const image = h('img', {alt: ''});
  const open = button(image, () => onOpen(index), {class: 'open', disabled: true});
  const box = h('input', {type: 'checkbox', onchange: () => onSelect(index, box.checked)});
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
  return {
    element, open, box,
    update: ({job, previews}, n) => {
      const finished = job.images?.find(one => one.index === index);
      const size = finished ?? job.plan ?? job.request ?? {};
      if (size.width) { image.width = size.width; image.height = size.height; }
      if (finished) {
        show(imagePath(job.id, index));
        open.disabled = false;
        pick.hidden = job.state === 'running';
        const name = imageName(job, finished, n);
        open.setAttribute('aria-label', `${name}: enlarge`);
        box.setAttribute('aria-label', `Select image ${index + 1}`);
        caption.replaceChildren(`seed ${finished.seed}`, ...ownLines(job, finished).flatMap(line => [h('br'), line]));
        element.dataset.seed = finished.seed;
        element.classList.remove('rough');
      } else if (previews.has(index)) {
        element.classList.add('rough');
        const {step = 0, steps = 1} = job.progress ?? {};
        element.style.setProperty('--rough', Math.max(0, 1 - step / Math.max(1, steps)).toFixed(2));
        show(previews.get(index));
      }
      if (!finished) open.setAttribute('aria-label', `Image ${index + 1} of ${n}: ${isFinal(job) ? 'not made' : 'being made'}`);
      element.classList.toggle('waiting', !finished && !isFinal(job));
    },
  };
};

// Arrow keys go from picture to picture; x chooses the one that has the focus.
const moveBy = (tiles, from, key) => {
  const columns = tiles.filter(tile => tile.element.offsetTop === tiles[0].element.offsetTop).length;
  const step = {ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns}[key];
  if (key === 'Home') return 0;
  if (key === 'End') return tiles.length - 1;
  const to = step === undefined ? null : from + step;
  return to !== null && to >= 0 && to < tiles.length ? to : null;
};

export const makeTiles = (n, {onOpen, onSelect}) => {
  const tiles = Array.from({length: n}, (_, index) => makeTile(index, {onOpen, onSelect}));
  const element = h('div', {class: 'pictures'}, tiles.map(tile => tile.element));
  element.addEventListener('keydown', event => {
    const from = tiles.findIndex(tile => tile.element.contains(event.target));
    if (from < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'x' && !tiles[from].box.parentElement.hidden) {
      tiles[from].box.checked = !tiles[from].box.checked;
      onSelect(from, tiles[from].box.checked);
      event.preventDefault();
      return;
    }
    const to = moveBy(tiles, from, event.key);
    if (to === null || tiles[to].open.disabled) return;
    event.preventDefault();
    tiles[to].open.focus();
  });
  return {
    element,
    update: state => { for (const tile of tiles) tile.update(state, n); },
    mark: selected => tiles.forEach((tile, index) => {
      tile.box.checked = selected.has(index);
      tile.element.classList.toggle('selected', selected.has(index));
    }),
    focus: index => tiles[index]?.open.focus(),
  };
};
