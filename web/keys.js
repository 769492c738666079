// The keys: what they do, and who may have them.

import {h, isTyping, openDialog, recall, remember} from './dom.js';

const KEYS = [
  ['Enter', 'make the set (in the prompt; Shift and Enter begins a new line)'], ['/', 'go to the prompt, or to the search'], ['.', 'stop'],
  ['arrows', 'go from picture to picture, or move the map'], ['x', 'select the picture that has the focus'], ['a', 'select all'],
  ['k', 'keep the selected ones and make the others again'], ['g', 'show as a grid'], ['m', 'show as a map'],
  ['+ − 0', 'zoom the map, show all of it'], ['d', 'download the set'], ['h', 'history'], ['n', 'a new set'], ['?', 'this list'],
  ['Esc', 'close what is open'],
];

// Single letters disturb those who speak to their machine: they can be switched off.
let isOn = recall('keys') ?? true;

export const showKeys = () => {
  const box = h('input', {type: 'checkbox', checked: isOn, onchange: () => { isOn = box.checked; remember('keys', isOn); }});
  const list = h('dl', {class: 'keys'}, KEYS.flatMap(([key, text]) => [h('dt', {}, h('kbd', {}, key)), h('dd', {}, text)]));
  openDialog('Keys', [h('h2', {}, 'Keys'), list, h('label', {class: 'choice'}, box, 'Use single letters as keys')], 'small');
};

// `find(key)` is what that key does now, if anything.
export const watchKeys = find => document.addEventListener('keydown', event => {
  if (!isOn || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (isTyping(event.target) || document.querySelector('dialog[open]')) return;
  const act = find(event.key);
  if (!act) return;
  event.preventDefault();
  act();
});
