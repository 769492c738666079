// Small reminders below the prompt, each of which can be taken back.

import {button, h} from './dom.js';

const chip = (content, label, onRemove) =>
  h('span', {class: 'chip'}, content, button('×', onRemove, {class: 'quiet', 'aria-label': label}));

// Settings that act while their form is closed. `list()` is of [text, clear] pairs, those without text are left out.
export const makePins = (list, onClear) => {
  const element = h('div', {class: 'pins', hidden: true});
  return {
    element,
    draw: isHidden => {
      const pins = list().filter(([text]) => text);
      element.hidden = isHidden || pins.length === 0;
      const pin = ([text, clear]) => chip(h('span', {}, text), `Take back: ${text}`, () => { clear(); onClear(); });
      element.replaceChildren(...pins.map(pin));
    },
  };
};

// Pictures, as data: addresses, that sets are kept away from.
export const makeAway = () => {
  let pictures = [];
  const element = h('div', {class: 'away', hidden: true});
  const draw = () => {
    element.hidden = pictures.length === 0;
    const remove = picture => { pictures = pictures.filter(other => other !== picture); draw(); };
    element.replaceChildren(h('span', {}, 'Kept away from'), ...pictures.map(picture =>
      chip(h('img', {src: picture, alt: 'a picture of yours'}), 'Do not keep away from this picture', () => remove(picture))));
  };
  return {
    element,
    value: () => pictures.map(picture => picture.split(',')[1]),
    add: picture => { pictures.push(picture); draw(); },
    clear: () => { pictures = []; draw(); },
  };
};
