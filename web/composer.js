// Where a set is asked for: the prompt, what most people change, and all the rest behind "More".

import {makeAxesForm} from './axes_form.js';
import {makeAway, makePins} from './chips.js';
import {makeCompareForm} from './compare_form.js';
import {makeDial} from './dial.js';
import {h, recall, remember} from './dom.js';
import {makeCounter, makeField} from './fields.js';
import {makeMethodForm} from './method_form.js';
import {makeModelForm} from './model_form.js';
import {counted, methodNames, withParameter, withSpell} from './words.js';

const IMAGES = 8;
const LARGEST_DRAWN_SEED = 999999;  // short enough to be read out and typed
// These have a place of their own in the form, or concern files and the machine, which are the server's.
const NOT_RARE = ['prompt', 'model', 'images', 'method', 'strength', 'width', 'height', 'negative_prompt', 'vary', 'seed', 'steps', 'cfg_scale',
  'format', 'quality', 'device', 'dtype', 'threads', 'max_batch', 'max_vram', 'offload_to_cpu', 'progress', 'log_level', 'shield', 'variant',
  'guide'];

const makeUsualFields = ({settings = [], limits = {}}) => {
  const known = name => settings.find(setting => setting.name === name) ?? {name, kind: 'number'};
  return [
    makeField({...known('negative_prompt'), kind: 'text', default: null, help: '', placeholder: 'blur, text'}, 'Without'),
    makeField({...known('seed'), id: 'seed', minimum: 0, default: null, placeholder: 'new ones each time',
      help: 'the same seed and settings make the same set again'}, 'First seed'),
    makeField({...known('steps'), maximum: limits.steps ?? known('steps').maximum}, 'Steps'),
    makeField(known('cfg_scale'), 'Guidance scale'),
  ];
};

const makePrompt = (limits, onEnter, onInput) => {
  const prompt = h('textarea', {id: 'prompt', rows: 1, autocomplete: 'off', enterkeyhint: 'send', 'aria-keyshortcuts': '/',
    placeholder: 'a photo of a bird', maxlength: limits.prompt_bytes});
  const grow = () => { prompt.style.height = 'auto'; prompt.style.height = `${prompt.scrollHeight + 2}px`; };
  prompt.addEventListener('keydown', event => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    onEnter();
  });
  prompt.addEventListener('input', () => { grow(); onInput(); });
  return {prompt, fill: text => { prompt.value = text; grow(); }};
};

const makeParts = (capabilities, act) => {
  const {settings = [], methods, limits = {}} = capabilities;
  const saved = recall('settings') ?? {};
  const standard = settings.find(setting => setting.name === 'method')?.default ?? 'gass';
  const method = makeMethodForm(methods, standard, () => act.draw());
  const usual = makeUsualFields(capabilities);
  const rare = settings.filter(setting => !NOT_RARE.includes(setting.name)).map(setting => makeField(setting));
  return {
    ...makePrompt(limits, () => act.make(), () => act.showError(null)), standard, method, usual, rare, fields: [...usual, ...rare],
    images: makeCounter(saved.images ?? IMAGES, limits.images, () => act.keep()),
    dial: makeDial(saved.strength, () => { method.followDial(); act.keep(); }),
    model: makeModelForm(capabilities, saved.model, () => { act.draw(); act.keep(); }),
    axes: makeAxesForm(), away: makeAway(),
    compare: makeCompareForm(methods, standard, limits.compared, () => act.compare()),
    error: h('p', {class: 'error', role: 'alert', id: 'prompt-error', hidden: true}),
    submit: h('button', {type: 'submit', class: 'main'}, 'Make'),
  };
};

const layOut = ({prompt, submit, error, away, images, dial, model, usual, rare, axes, method, compare}, pins, onSubmit) => {
  const rarePart = h('details', {class: 'rare'}, h('summary', {}, `Rarely needed (${rare.length})`),
    h('div', {class: 'fields'}, rare.map(field => field.element)));
  const more = h('details', {class: 'more'}, h('summary', {}, 'More: method, axes, seeds, compare'), h('div', {class: 'more-parts'},
    h('div', {class: 'column'}, h('div', {class: 'part fields'}, usual.map(field => field.element)), axes.element),
    h('div', {class: 'column'}, h('div', {class: 'part'}, method.element), compare.element),
    rare.length ? rarePart : null));
  const element = h('form', {class: 'composer', novalidate: true, onsubmit: event => { event.preventDefault(); onSubmit(); }},
    h('label', {for: 'prompt'}, 'What should the images show?'), h('div', {class: 'ask'}, prompt, submit), error, away.element,
    h('div', {class: 'basics'}, images.element, dial.element, model.modelField, model.sizeField), pins, more);
  return {element, more, rarePart};
};

// What the server is asked for.
const requestOf = ({prompt, images, dial, model, method, axes, fields, away}) => {
  const body = {prompt: prompt.value.trim(), images: images.value(), ...model.value(), method: method.spec()};
  if (method.hasDial()) body.strength = dial.value();
  if (method.takesAxes() && axes.texts().length) body.vary = axes.value();
  for (const field of fields) if (field.value() !== undefined) body[field.name] = field.value();
  body.seed ??= Math.floor(Math.random() * LARGEST_DRAWN_SEED);
  const pictures = away.value();
  return pictures.length ? {...body, away: {pictures}, method: withSpell(body.method)} : body;
};

const pinsOf = ({fields, method, standard, axes}) => {
  const n = axes.texts().length;
  const spec = method.spec();
  return [
    ...fields.map(field => [field.value() !== undefined && `${field.label.toLowerCase()} ${field.value()}`, () => field.fill(undefined)]),
    [spec !== standard && `method ${methodNames(spec)}${spec.includes(':') ? ' with parameters' : ''}`, () => method.fill(standard)],
    [method.takesAxes() && n > 0 && counted(n, 'named axis', 'named axes'), () => axes.fill('')],
  ];
};

const makeErrors = (parts, {element, more}) => error => {
  for (const control of element.querySelectorAll('[aria-invalid]')) control.removeAttribute('aria-invalid');
  parts.error.hidden = !error;
  if (!error) return;
  parts.error.textContent = error.message;
  const controls = {prompt: parts.prompt, images: parts.images.input, strength: parts.dial.input, ...parts.model.controls,
    vary: parts.axes.first(), method: parts.method.select};
  const control = controls[error.where] ?? parts.fields.find(field => field.name === error.where)?.input;
  if (!control) return;
  control.setAttribute('aria-invalid', 'true');
  if (more.contains(control)) more.open = true;
  control.focus();
};

export const makeComposer = (capabilities, {onMake, onCompare}) => {
  const act = {};
  const parts = makeParts(capabilities, act);
  const {prompt, images, dial, model, method, axes, away, compare, fields, submit} = parts;
  const pins = makePins(() => pinsOf(parts), () => { act.draw(); page.more.firstChild.focus(); });
  const page = layOut(parts, pins.element, () => act.make());

  act.showError = makeErrors(parts, page);
  act.keep = () => remember('settings', {images: images.value(), strength: dial.value(), model: model.value().model});
  act.draw = () => {
    dial.show(method.hasDial(), methodNames(method.spec()));
    axes.element.hidden = !method.takesAxes();
    for (const field of fields) if (model.chosen()[field.name] !== undefined) field.input.placeholder = model.chosen()[field.name];
    pins.draw(page.more.open);
  };
  const objection = () => {
    if (!prompt.value.trim()) return {where: 'prompt', message: 'Write what the images should show.'};
    return method.takesAxes() && axes.objection() ? {where: 'vary', message: axes.objection()} : null;
  };
  const ask = async (wrong, send) => {
    act.showError(wrong);
    if (wrong) return;
    act.keep();
    submit.disabled = true;
    try { await send(requestOf(parts)); } catch (error) { act.showError(error); } finally { submit.disabled = false; }
  };
  act.make = () => ask(objection(), onMake);
  const tooFewOrMany = () => compare.objection() ? {where: '', message: compare.objection()} : null;
  // Each method is sent with the dial's strength, if it has one, and the one that is chosen with its parameters.
  act.compare = () => ask(objection() ?? tooFewOrMany(), ({method: own, strength: _strength, ...body}) => {
    const specOf = name => name === methodNames(own) ? own : name;
    const withStrength = name => method.hasDial(name) ? withParameter(specOf(name), 'strength', dial.value()) : specOf(name);
    return onCompare({...body, methods: compare.value().map(withStrength)});
  });
  page.more.addEventListener('toggle', act.draw);
  act.draw();

  return {
    element: page.element, prompt,
    isEmpty: () => prompt.value.trim() === '',
    keepAwayFrom: away.add,
    // `settings` as a request, a plan or a record has them, with `prompt` and `seed`.
    fill: settings => {
      parts.fill(settings.prompt ?? '');
      images.fill(settings.images);
      model.fill(settings);
      method.fill(settings.method);
      dial.fill(settings);
      axes.fill(settings.vary);
      for (const field of fields) field.fill(settings[field.name] === model.chosen()[field.name] ? undefined : settings[field.name]);
      page.rarePart.open = parts.rare.some(field => field.value() !== undefined);
      away.clear();
      act.draw();
      act.showError(null);
    },
  };
};
