// Forms that are built from what the server says about its settings and its methods' parameters.

import {h} from './dom.js';

let count = 0;

const isOn = value => value === true || value === 'on' || value === 'true';

const control = (spec, id, describedBy) => {
  const common = {id, 'aria-describedby': describedBy};
  if (spec.kind === 'flag' || spec.kind === 'boolean') return h('input', {...common, type: 'checkbox', checked: isOn(spec.default)});
  if (spec.kind === 'choice') return h('select', common, (spec.choices ?? []).map(choice => h('option', {value: choice}, choice)));
  if (spec.kind === 'number' || spec.kind === 'integer') {
    return h('input', {...common, type: 'number', min: spec.minimum, max: spec.maximum, step: spec.kind === 'integer' ? 1 : 'any',
      placeholder: spec.placeholder ?? spec.default ?? '', inputmode: spec.kind === 'integer' ? 'numeric' : 'decimal'});
  }
  return h('input', {...common, type: 'text', placeholder: spec.placeholder ?? spec.default ?? ''});
};

// {element, name, value(): undefined where it is the default, fill(value)}
export const makeField = (spec, label = spec.name) => {
  const id = `field-${++count}`;
  const input = control(spec, id, spec.help ? `${id}-help` : null);
  if (spec.kind === 'choice' && spec.default) input.value = spec.default;
  const isFlag = input.type === 'checkbox';
  const isNumber = spec.kind === 'number' || spec.kind === 'integer';
  const help = spec.help ? h('small', {id: `${id}-help`}, spec.help) : null;
  const element = h('div', {class: isFlag ? 'field flag-field' : 'field'}, h('label', {for: id}, label), input, help);
  return {
    element, input, spec, label, name: spec.name,
    value: () => {
      if (isFlag) return input.checked === isOn(spec.default) ? undefined : input.checked;
      if (input.value === '' || input.value === String(spec.default)) return undefined;
      return isNumber ? Number(input.value) : input.value;
    },
    fill: value => {
      if (isFlag) input.checked = isOn(value === undefined ? spec.default : value);
      else input.value = value ?? (spec.kind === 'choice' ? spec.default ?? '' : '');
    },
  };
};

// Names that say more than the setting's own.
const NAMES = {dep: 'Weight of meaning', ind: 'Weight of surroundings', sampling_method: 'Sampler', clip_skip: 'CLIP layers left out', max_sequence_length: 'Tokens that T5 reads',
  scheduler: 'Noise levels', no_t5: 'Without T5'};

export const humanName = name => {
  if (NAMES[name]) return NAMES[name];
  const words = name.replaceAll('_', ' ');
  return words[0].toUpperCase() + words.slice(1);
};
