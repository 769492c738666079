// One picture, large; arrow keys go on to the next.

import {imagePath, save, showPicture} from './api.js';
import {announce, button, h, openDialog} from './dom.js';
import {imageName} from './tiles.js';
import {slug} from './words.js';

const SWIPE = 40;  // pixels

export const openLightbox = (job, start, {isSelected, onSelect, onLike} = {}) => {
  const {images} = job;
  const image = h('img', {alt: ''});
  const caption = h('p', {});
  let at = Math.max(0, images.findIndex(one => one.index === start));
  const current = () => images[at];
  const select = onSelect ? button('Select', () => { onSelect(current().index, !isSelected(current().index)); show(0); }, {'aria-pressed': 'false', 'aria-keyshortcuts': 'x'}) : null;
  const box = openDialog('Picture', [image, h('div', {class: 'row'},
    button('‹', () => show(-1), {'aria-label': 'Previous picture', 'aria-keyshortcuts': 'ArrowLeft'}), caption,
    button('›', () => show(1), {'aria-label': 'Next picture', 'aria-keyshortcuts': 'ArrowRight'})),
  h('div', {class: 'row'}, select,
    button('Download', () => save(imagePath(job.id, current().index), `${slug(job.request.prompt)}-${current().seed}.png`)),
    onLike ? button('More like this', () => { box.close(); onLike(current().index); }) : null)], 'lightbox');
  const show = by => {
    at = (at + by + images.length) % images.length;
    const name = imageName(job, current(), images.length);
    showPicture(image, imagePath(job.id, current().index));
    image.alt = name;
    caption.textContent = name;
    select?.setAttribute('aria-pressed', String(isSelected(current().index)));
    if (select) select.textContent = isSelected(current().index) ? 'Selected' : 'Select';
    if (by) announce(name);
  };
  box.addEventListener('keydown', event => {
    const by = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    if (by) { event.preventDefault(); show(by); }
    if (event.key === 'x' && select) select.click();
  });
  let from = null;
  image.addEventListener('pointerdown', event => { from = event.clientX; event.preventDefault(); });
  image.addEventListener('pointerup', event => {
    const by = from === null ? 0 : event.clientX - from;
    from = null;
    if (Math.abs(by) > SWIPE) show(by < 0 ? 1 : -1);
  });
  show(0);
  return box;
};
