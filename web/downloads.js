// What can be saved of a set.

import {imagePath, save} from './api.js';
import {button, h} from './dom.js';
import {slug} from './words.js';

export const saveImages = async (job, images) => {
  for (const image of images) await save(imagePath(job.id, image.index), `${slug(job.request.prompt)}-${image.seed}.png`);
};

export const saveZip = job => save(`jobs/${job.id}/zip`, `${slug(job.request.prompt)}.zip`);

export const makeDownloads = job => {
  const name = () => slug(job().request.prompt);
  const menu = h('details', {class: 'menu'}, h('summary', {}, 'Download'), h('div', {class: 'menu-items'},
    button('All in a zip', () => saveZip(job())),
    button('All, one by one', () => saveImages(job(), job().images)),
    button('Contact sheet', () => save(`jobs/${job().id}/sheet`, `${name()}-sheet.png`)),
    button('Record (JSON)', () => save(`jobs/${job().id}/record`, `${name()}.json`))));
  menu.addEventListener('click', event => { if (event.target.matches('button')) menu.open = false; });
  menu.addEventListener('keydown', event => {
    if (event.key !== 'Escape' || !menu.open) return;
    menu.open = false;
    menu.firstChild.focus();
    event.stopPropagation();
  });
  return menu;
};
