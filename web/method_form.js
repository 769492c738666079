// The method and its parameters; `spec()` writes them as the command line does: gass:candidates=8.

import {h} from './dom.js';
import {humanName, makeField} from './fields.js';
import {parseMethod} from './words.js';

const TOGETHER = '…';  // no method is called that

// Unless they are said, the dial decides these, whatever their default.
const isOfDial = spec => /\bby strength\b/.test(spec.help);

const asText = value => value === true ? 'on' : value === false ? 'off' : String(value);

export const makeMethodForm = (methods, standard, onChange) => {
  const select = h('select', {id: 'method', 'aria-describedby': 'method-says'},
    methods.map(method => h('option', {value: method.name}, `${method.name} – ${method.summary}`)),
    h('option', {value: TOGETHER}, 'several together, as text'));
  const says = h('p', {class: 'note', id: 'method-says'});
  const text = h('input', {type: 'text', id: 'method-text', placeholder: 'cads+gass:candidates=8', spellcheck: 'false'});
  const textField = h('div', {class: 'field'}, h('label', {for: 'method-text'}, 'Methods, joined by +'), text);
  const parameters = h('div', {class: 'fields'});
  const summary = h('summary', {});
  const details = h('details', {}, summary, parameters);
  const element = h('div', {class: 'method-form'}, h('div', {class: 'field'}, h('label', {for: 'method'}, 'Method'), select), says, textField, details);
  let fields = [];
  let isFromRecord = false;
  parameters.addEventListener('input', () => { isFromRecord = false; });

  const chosen = () => methods.find(method => method.name === select.value);
  const involved = () => chosen() ? [chosen()] : parseMethod(text.value).map(part => methods.find(method => method.name === part.name)).filter(Boolean);

  const draw = () => {
    const method = chosen();
    textField.hidden = Boolean(method);
    says.textContent = method?.remark ?? 'Methods act from left to right; gass refuses those that do not go together.';
    // The dial outside of this form is the parameter `strength`.
    fields = (method?.parameters ?? []).filter(spec => !(method.has_dial && spec.name === 'strength')).map(spec => makeField(isOfDial(spec) ? {...spec, default: null, placeholder: 'by strength'} : spec, humanName(spec.name)));
    details.hidden = fields.length === 0;
    summary.textContent = `Parameters of ${select.value} (${fields.length})`;
    parameters.replaceChildren(...fields.map(field => field.element));
  };
  const redraw = () => { draw(); onChange(); };
  select.addEventListener('change', redraw);
  text.addEventListener('input', onChange);

  const form = {
    element,
    hasDial: () => involved().some(method => method.has_dial),
    takesAxes: () => involved().some(method => method.takes_axes),
    spec: () => {
      if (!chosen()) return text.value.trim();
      const given = fields.map(field => [field.name, field.value()]).filter(([, value]) => value !== undefined);
      return select.value + (given.length ? `:${given.map(([name, value]) => `${name}=${asText(value)}`).join(',')}` : '');
    },
    // What the dial decides and a record pinned is the dial's again, once it is turned.
    followDial: () => { if (isFromRecord) for (const field of fields) if (isOfDial(field.spec)) field.fill(undefined); },
    fill: spec => {
      const parts = parseMethod(spec || standard);
      const isOne = parts.length === 1 && methods.some(method => method.name === parts[0].name);
      select.value = isOne ? parts[0].name : TOGETHER;
      text.value = isOne ? '' : spec;
      draw();
      if (!isOne) return;
      for (const field of fields) field.fill(parts[0].parameters[field.name]);
      isFromRecord = true;
      details.open = fields.some(field => field.value() !== undefined);
    },
  };
  form.fill(standard);
  return form;
};
