// Forms that are built from what the server says about its settings and its methods' parameters.

import {button, h} from './dom.js';

// Names that say more than the setting's own.
const NAMES = {
  dep: 'Weight of meaning', ind: 'Weight of surroundings', sampling_method: 'Sampler', scheduler: 'Noise levels',
  clip_skip: 'CLIP layers left out', max_sequence_length: 'Tokens that T5 reads', no_t5: 'Without T5',
};

export const humanName = name => {
  if (NAMES[name]) return NAMES[name];
  const words = name.replaceAll('_', ' ');
  return words[0].toUpperCase() + words.slice(1);
};

const isOn = value => value === true || value === 'on' || value === 'true';
const isNumber = spec => spec.kind === 'number' || spec.kind === 'integer';
let count = 0;

const control = (spec, id) => {
  const common = {id, 'aria-describedby': spec.help ? `${id}-help` : null};
  const placeholder = spec.placeholder ?? spec.default ?? '';
  if (spec.kind === 'flag') return h('input', {...common, type: 'checkbox', checked: isOn(spec.default)});
  if (spec.kind === 'choice') {
    const select = h('select', common, (spec.choices ?? []).map(choice => h('option', {value: choice}, choice)));
    if (spec.default) select.value = spec.default;
    return select;
  }
  if (!isNumber(spec)) return h('input', {...common, type: 'text', placeholder});
  const isWhole = spec.kind === 'integer';
  return h('input', {
    ...common, type: 'number', min: spec.minimum, max: spec.maximum, step: isWhole ? 1 : 'any', placeholder,
    inputmode: isWhole ? 'numeric' : 'decimal',
  });
};

export const labelled = (label, input, ...more) => h('div', {class: 'field'}, h('label', {for: input.id}, label), input, more);

// {element, input, value(): undefined where it is the default, fill(value)}
export const makeField = (spec, label = humanName(spec.name)) => {
  const id = spec.id ?? `field-${++count}`;
  const input = control(spec, id);
  const element = labelled(label, input, spec.help ? h('small', {id: `${id}-help`}, spec.help) : null);
  element.classList.toggle('flag-field', spec.kind === 'flag');
  const usual = spec.kind === 'choice' ? spec.default ?? '' : '';
  return {
    element, input, label, name: spec.name,
    value: () => {
      if (spec.kind === 'flag') return input.checked === isOn(spec.default) ? undefined : input.checked;
      const text = input.value.trim();
      if (text === '' || text === String(spec.default)) return undefined;
      return isNumber(spec) ? Number(text) : text;
    },
    fill: value => {
      if (spec.kind === 'flag') input.checked = isOn(value ?? spec.default);
      else input.value = value ?? usual;
    },
  };
};

// How many images, with buttons for less and more.
export const makeCounter = (first, most = Infinity, onChange) => {
  const input = h('input', {id: 'images', type: 'number', min: 1, max: most, step: 1, value: first, inputmode: 'numeric'});
  input.addEventListener('change', onChange);
  const step = by => {
    input.value = Math.min(most, Math.max(1, Number(input.value || 1) + by));
    onChange();
  };
  const stepper = h('div', {class: 'stepper'},
    button('−', () => step(-1), {'aria-label': 'One image less'}), input, button('+', () => step(1), {'aria-label': 'One image more'}));
  return {
    element: h('div', {class: 'field'}, h('label', {for: 'images'}, 'Images'), stepper), input,
    value: () => Number(input.value) || first,
    fill: value => { if (value) input.value = value; },
  };
};
