// Which methods are made beside each other.

import {button, h} from './dom.js';

export const makeCompareForm = (methods, standard, most = Infinity, onCompare) => {
  const boxes = methods.map(({name}) => h('input', {type: 'checkbox', value: name, checked: ['none', standard].includes(name)}));
  return {
    element: h('fieldset', {class: 'part'}, h('legend', {}, 'Compare methods'),
      h('p', {class: 'note'}, 'The same prompt from the same seeds, side by side.'),
      h('div', {class: 'choices'}, boxes.map(box => h('label', {class: 'choice'}, box, box.value))),
      button('Make and compare', onCompare, {id: 'compare'})),
    value: () => boxes.filter(box => box.checked).map(box => box.value),
    objection: () => {
      const n = boxes.filter(box => box.checked).length;
      if (n < 2) return 'Choose two methods or more to compare.';
      return n > most ? `This server compares at most ${most} methods at once.` : '';
    },
  };
};
