// Named axes: the set spreads from one text to another.

import {button, h} from './dom.js';
import {parseAxes} from './words.js';

export const makeAxesForm = () => {
  const rows = h('div', {class: 'axes'});
  const error = h('p', {class: 'error', role: 'alert', hidden: true});
  const more = button('Add an axis', () => add().querySelector('input').focus());
  const element = h('fieldset', {class: 'part'}, h('legend', {}, 'Named axes'),
    h('p', {class: 'note'}, 'The set spreads from one text to the other: from “at night” to “at noon”.'), rows, error, more);

  const add = (from = '', to = '') => {
    const end = (value, placeholder, label) => h('input', {type: 'text', value, placeholder, 'aria-label': label});
    const row = h('div', {class: 'axis'}, end(from, 'at night', 'The axis begins at'), h('span', {}, 'to'),
      end(to, 'at noon', 'The axis ends at'),
      button('×', () => {
        row.remove();
        more.focus();
      }, {class: 'quiet', 'aria-label': 'Remove this axis'}));
    rows.append(row);
    return row;
  };
  const texts = () => [...rows.children].map(row => [...row.querySelectorAll('input')].map(input => input.value.trim()))
    .filter(([from, to]) => from || to);

  return {
    element, texts,
    first: () => rows.querySelector('input'),
    value: () => texts().map(ends => ends.join('|')).join('; '),
    fill: vary => {
      rows.replaceChildren();
      for (const ends of parseAxes(vary)) add(...ends);
    },
    // What the server could not tell apart is said here.
    objection: () => {
      const isBad = texts().some(([from, to]) => !from || !to || /[|;]/.test(from + to));
      error.hidden = !isBad;
      error.textContent = isBad ? 'An axis has two texts, without | and ;' : '';
      return error.textContent;
    },
  };
};
