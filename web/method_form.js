// The method and its parameters; `spec()` writes them as the command line does: gass:candidates=8.

import {h} from './dom.js';
import {labelled, makeField} from './fields.js';
import {parseMethod} from './words.js';

const TOGETHER = '…';  // no method is called that

// Unless they are said, the dial decides these, whatever their default.
const isOfDial = spec => /\bby strength\b/.test(spec.help);
const asText = value => value === true ? 'on' : value === false ? 'off' : String(value);

// The fields of one method; what stands outside of this form, the dial, is its parameter `strength`.
const fieldsOf = method => (method?.parameters ?? []).filter(spec => !(method.has_dial && spec.name === 'strength')).map(spec => ({
  ...makeField(isOfDial(spec) ? {...spec, default: null, placeholder: 'by strength'} : spec), isOfDial: isOfDial(spec),
}));

const makeChoice = methods => {
  const select = h('select', {id: 'method', 'aria-describedby': 'method-says'},
    methods.map(method => h('option', {value: method.name}, `${method.name} – ${method.summary}`)),
    h('option', {value: TOGETHER}, 'several together, as text'));
  const text = h('input', {type: 'text', id: 'method-text', placeholder: 'cads+gass:candidates=8', spellcheck: 'false'});
  return {select, text, textField: labelled('Methods, joined by +', text), says: h('p', {class: 'note', id: 'method-says'})};
};

export const makeMethodForm = (methods, standard, onChange) => {
  const {select, text, textField, says} = makeChoice(methods);
  const parameters = h('div', {class: 'fields'});
  const summary = h('summary', {});
  const details = h('details', {}, summary, parameters);
  let fields = [];
  let isFromRecord = false;

  const named = name => methods.find(method => method.name === name);
  const chosen = () => named(select.value);
  const involved = () => chosen() ? [chosen()] : parseMethod(text.value).map(part => named(part.name)).filter(Boolean);
  const draw = () => {
    const method = chosen();
    textField.hidden = Boolean(method);
    says.textContent = method?.remark ?? 'Methods act from left to right; gass refuses those that do not go together.';
    fields = fieldsOf(method);
    details.hidden = fields.length === 0;
    summary.textContent = `Parameters of ${select.value} (${fields.length})`;
    parameters.replaceChildren(...fields.map(field => field.element));
  };
  select.addEventListener('change', () => { draw(); onChange(); });
  text.addEventListener('input', onChange);
  parameters.addEventListener('input', () => { isFromRecord = false; });

  const fill = spec => {
    const parts = parseMethod(spec || standard);
    const isOne = parts.length === 1 && named(parts[0].name);
    select.value = isOne ? parts[0].name : TOGETHER;
    text.value = isOne ? '' : spec;
    draw();
    if (isOne) for (const field of fields) field.fill(parts[0].parameters[field.name]);
    isFromRecord = true;
    details.open = fields.some(field => field.value() !== undefined);
  };
  fill(standard);

  return {
    element: h('div', {class: 'method-form'}, labelled('Method', select), says, textField, details), select, fill,
    hasDial: name => name ? named(name).has_dial : involved().some(method => method.has_dial),
    takesAxes: () => involved().some(method => method.takes_axes),
    spec: () => {
      if (!chosen()) return text.value.trim();
      const given = fields.map(field => [field.name, field.value()]).filter(([, value]) => value !== undefined);
      return select.value + (given.length ? `:${given.map(([name, value]) => `${name}=${asText(value)}`).join(',')}` : '');
    },
    // What the dial decides and a record pinned is the dial's again, once it is turned.
    followDial: () => {
      if (!isFromRecord) return;
      for (const field of fields) if (field.isOfDial) field.fill(undefined);
    },
  };
};
