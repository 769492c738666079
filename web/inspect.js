// A picture that is dropped, pasted or chosen: what recipe it carries, and what can be done with it.

import {upload} from './api.js';
import {button, h, openDialog, toast} from './dom.js';
import {methodNames} from './words.js';

const SENT_SIDE = 512;

const shrunk = async file => {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, SENT_SIDE / Math.max(bitmap.width, bitmap.height));
  const canvas = h('canvas', {width: Math.round(bitmap.width * scale), height: Math.round(bitmap.height * scale)});
  canvas.getContext('2d').drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL('image/jpeg', 0.92);
};

const settingsOf = record => ({...record.settings, prompt: record.prompt, seed: record.seeds?.[0]});

const factsOf = ({prompt, settings = {}, index, seeds}) => {
  const facts = {
    Prompt: prompt, Without: settings.negative_prompt, Varied: settings.vary, Model: settings.model, Method: methodNames(settings.method),
    Size: settings.width && `${settings.width} × ${settings.height}`, Steps: settings.steps, 'Guidance scale': settings.cfg_scale,
    Picture: index === undefined ? '' : `${index + 1} of ${settings.images}`, 'First seed': seeds?.[0],
  };
  return Object.entries(facts).filter(([, value]) => value !== undefined && value !== null && value !== '');
};

const contentOf = ({record, parameters}) => {
  if (record) {
    const fact = ([term, value]) => [h('dt', {}, term), h('dd', {dir: 'auto'}, String(value))];
    return h('dl', {class: 'facts'}, factsOf(record).flatMap(fact));
  }
  if (parameters) {
    const text = h('pre', {tabindex: 0, role: 'group', 'aria-label': 'Its text'}, parameters);
    return [h('p', {}, 'This picture is not of gass, and says:'), text];
  }
  return h('p', {}, 'This picture carries no recipe.');
};

export const inspectPicture = async (file, {can, onReuse, onAway}) => {
  if (!file.type.startsWith('image/')) return toast('That is no picture.', {isError: true});
  let found;
  try { found = await upload('inspect', 'image', file); } catch (error) { return toast(error.message, {isError: true}); }
  const url = URL.createObjectURL(file);
  const reuse = found.record && button('Use these settings', () => { box.close(); onReuse(settingsOf(found.record)); }, {class: 'main'});
  const away = can.includes('away_picture') ? button('Keep my sets away from it', async () => {
    onAway(await shrunk(file));
    box.close();
  }) : null;
  const box = openDialog('A picture and its recipe', [h('h2', {}, file.name || 'Your picture'),
    h('div', {class: 'inspected'}, h('img', {src: url, alt: 'The picture that you opened'}), h('div', {}, contentOf(found))),
    h('div', {class: 'row'}, reuse, away)], 'wide');
  box.addEventListener('close', () => URL.revokeObjectURL(url));
};

// Files that come from outside; a picture of this page that is dragged about is none.
export const watchForPictures = (target, overlay, onPicture) => {
  let isOwn = false;
  const hasFile = event => !isOwn && [...event.dataTransfer?.types ?? []].includes('Files');
  target.addEventListener('dragstart', () => { isOwn = true; });
  target.addEventListener('dragend', () => { isOwn = false; });
  target.addEventListener('dragover', event => { if (hasFile(event)) { event.preventDefault(); overlay.hidden = false; } });
  target.addEventListener('dragleave', event => { if (!event.relatedTarget) overlay.hidden = true; });
  target.addEventListener('drop', event => {
    if (!hasFile(event)) return;
    event.preventDefault();
    overlay.hidden = true;
    if (event.dataTransfer.files[0]) onPicture(event.dataTransfer.files[0]);
  });
  target.addEventListener('paste', event => {
    const file = [...event.clipboardData?.files ?? []].find(one => one.type.startsWith('image/'));
    if (file) { event.preventDefault(); onPicture(file); }
  });
};
