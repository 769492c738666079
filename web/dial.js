// The strength dial, and what its position means in words.

import {h} from './dom.js';
import {parseMethod, shown} from './words.js';

const USUAL = 0.5;
const MEANINGS = [
  [0, 'plain guidance: what the model itself would make'],
  [0.3, 'a little further apart'],
  [0.6, 'clearly different, still on the prompt'],
  [0.85, 'far apart; some may begin to miss the prompt'],
  [1, 'as far as it goes; some will miss the prompt'],
];

export const makeDial = (first = USUAL, onTurn) => {
  const input = h('input', {id: 'strength', type: 'range', min: 0, max: 1, step: 0.05, value: first, 'aria-describedby': 'strength-says'});
  const number = h('output', {for: 'strength'});
  const says = h('small', {id: 'strength-says'});
  const draw = () => {
    const value = Number(input.value);
    number.textContent = shown(value, 2);
    says.textContent = MEANINGS.find(([most]) => value <= most)[1];
    input.setAttribute('aria-valuetext', `${number.textContent}, ${says.textContent}`);
  };
  input.addEventListener('input', () => { draw(); onTurn(); });
  return {
    element: h('div', {class: 'field dial'}, h('label', {for: 'strength'}, 'Strength', number), input, says), input,
    value: () => Number(input.value),
    fill: settings => {
      input.value = settings.strength ?? parseMethod(settings.method).map(part => part.parameters.strength).find(Boolean) ?? USUAL;
    },
    // Only some methods have one.
    show: (isThere, method) => {
      input.disabled = !isThere;
      draw();
      if (isThere) return;
      number.textContent = '';
      says.textContent = `${method} has no dial; its parameters are under More`;
    },
  };
};
