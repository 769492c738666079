// One picture, large; arrow keys and swipes go on to the next.

import {imagePath, showPicture} from './api.js';
import {announce, button, h, openDialog} from './dom.js';
import {saveImages} from './downloads.js';
import {imageName} from './tiles.js';

const SWIPE = 40;  // pixels
const STEPS = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1};

const onSwipe = (image, act) => {
  let from = null;
  image.addEventListener('pointerdown', event => { from = event.clientX; event.preventDefault(); });
  image.addEventListener('pointerup', event => {
    const by = from === null ? 0 : event.clientX - from;
    from = null;
    if (Math.abs(by) > SWIPE) act(by < 0 ? 1 : -1);
  });
};

// With `selection` its pictures can be chosen.
export const openLightbox = (job, start, selection = null) => {
  const {images} = job;
  let at = Math.max(0, images.findIndex(one => one.index === start));
  const index = () => images[at].index;

  const image = h('img', {alt: ''});
  const caption = h('p', {});
  const select = selection && button('Select', () => {
    selection.select(index(), !selection.has(index()));
    show(0);
  }, {'aria-pressed': 'false', 'aria-keyshortcuts': 'x'});
  const like = selection?.like && button('More like this', () => { box.close(); selection.like(index()); });
  const box = openDialog('Picture', [image,
    h('div', {class: 'row'}, button('‹', () => show(-1), {'aria-label': 'Previous picture', 'aria-keyshortcuts': 'ArrowLeft'}), caption,
      button('›', () => show(1), {'aria-label': 'Next picture', 'aria-keyshortcuts': 'ArrowRight'})),
    h('div', {class: 'row'}, select, button('Download', () => saveImages(job, [images[at]])), like)], 'lightbox');

  const show = by => {
    at = (at + by + images.length) % images.length;
    caption.textContent = image.alt = imageName(job, images[at], images.length);
    showPicture(image, imagePath(job.id, index()));
    if (select) {
      select.setAttribute('aria-pressed', String(selection.has(index())));
      select.textContent = selection.has(index()) ? 'Selected' : 'Select';
    }
    if (by) announce(caption.textContent);
  };
  box.addEventListener('keydown', event => {
    if (STEPS[event.key]) {
      event.preventDefault();
      show(STEPS[event.key]);
    } else if (event.key === 'x') select?.click();
  });
  onSwipe(image, show);
  show(0);
};
