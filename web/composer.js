// Where a set is asked for: the prompt, what most people change, and all the rest behind "More".

import {button, h, recall, remember} from './dom.js';
import {humanName, makeField} from './fields.js';
import {makeMethodForm} from './method_form.js';
import {counted, parseAxes, parseMethod, shown} from './words.js';

const IMAGES = 8;
const LARGEST_DRAWN_SEED = 999999;  // short enough to be read out and typed
// These have fields of their own; those of the second line concern files and the machine, which are the server's.
const OWN = ['prompt', 'model', 'images', 'method', 'strength', 'width', 'height', 'negative_prompt', 'vary', 'seed', 'steps', 'cfg_scale',
  'format', 'quality', 'device', 'dtype', 'threads', 'max_batch', 'max_vram', 'offload_to_cpu', 'progress', 'log_level', 'shield', 'variant', 'guide'];
const DIAL = [[0, 'plain guidance: what the model itself would make'], [0.3, 'a little further apart'], [0.6, 'clearly different, still on the prompt'],
  [0.85, 'far apart; some may begin to miss the prompt'], [1, 'as far as it goes; some will miss the prompt']];

const firstModel = ({models, default_model: standard}) =>
  (models.find(model => model.name === 'mini-turbo') ?? models.find(model => model.is_distilled) ?? models.find(model => model.name === standard) ?? models[0])?.name;

// Sizes of about the model's own number of pixels.
const sizesOf = model => {
  const eighths = value => Math.max(8, Math.round(value / 8) * 8);
  const {width, height} = model;
  const tall = [eighths(width * 0.866), eighths(height * 1.155)];
  return [[width, height], tall, [tall[1], tall[0]]];
};

export const makeComposer = (capabilities, {onMake, onCompare}) => {
  const limits = capabilities.limits ?? {};
  const modelNamed = name => capabilities.models.find(model => model.name === name);
  const settingNamed = name => (capabilities.settings ?? []).find(setting => setting.name === name) ?? {name, kind: 'number'};
  const saved = recall('settings') ?? {};
  const field = (label, control, more = {}) => h('div', {class: 'field', ...more}, h('label', {for: control.id}, label), control);

  const prompt = h('textarea', {id: 'prompt', rows: 1, autocomplete: 'off', enterkeyhint: 'send', 'aria-keyshortcuts': '/',
    placeholder: 'a photo of a bird', maxlength: limits.prompt_bytes});
  const promptError = h('p', {class: 'error', role: 'alert', id: 'prompt-error', hidden: true});

  const images = h('input', {id: 'images', type: 'number', min: 1, max: limits.images, step: 1, value: saved.images ?? IMAGES, inputmode: 'numeric'});
  const stepImages = by => {
    images.value = Math.min(limits.images ?? Infinity, Math.max(1, Number(images.value || 1) + by));
    keep();
  };
  const imagesField = h('div', {class: 'field'}, h('label', {for: 'images'}, 'Images'), h('div', {class: 'stepper'},
    button('−', () => stepImages(-1), {'aria-label': 'One image less'}), images, button('+', () => stepImages(1), {'aria-label': 'One image more'})));

  const dial = h('input', {id: 'strength', type: 'range', min: 0, max: 1, step: 0.05, value: saved.strength ?? 0.5, 'aria-describedby': 'strength-says'});
  const dialValue = h('output', {for: 'strength'});
  const dialSays = h('small', {id: 'strength-says'});
  const dialField = h('div', {class: 'field dial'}, h('label', {for: 'strength'}, 'Strength', dialValue), dial, dialSays);

  const model = h('select', {id: 'model'}, capabilities.models.map(one => h('option', {value: one.name, title: one.description ?? ''}, one.name)));
  model.value = modelNamed(saved.model) ? saved.model : firstModel(capabilities);
  const size = h('select', {id: 'size'});
  const width = h('input', {id: 'width', type: 'number', min: 8, max: limits.width, step: 8, 'aria-label': 'Width in pixels'});
  const height = h('input', {id: 'height', type: 'number', min: 8, max: limits.height, step: 8, 'aria-label': 'Height in pixels'});
  const ownSize = h('div', {class: 'own-size', hidden: true}, width, h('span', {'aria-hidden': 'true'}, '×'), height);

  const negative = h('input', {id: 'negative', type: 'text', placeholder: 'blur, text'});
  const axes = h('div', {class: 'axes'});
  const axisError = h('p', {class: 'error', role: 'alert', hidden: true});
  const axesPart = h('fieldset', {class: 'part'}, h('legend', {}, 'Named axes'),
    h('p', {class: 'note'}, 'The set spreads from one text to the other: from “at night” to “at noon”.'), axes, axisError,
    button('Add an axis', () => addAxis().querySelector('input').focus()));
  const addAxis = (from = '', to = '') => {
    const row = h('div', {class: 'axis'}, h('input', {type: 'text', value: from, placeholder: 'at night', 'aria-label': 'The axis begins at'}),
      h('span', {}, 'to'), h('input', {type: 'text', value: to, placeholder: 'at noon', 'aria-label': 'The axis ends at'}),
      button('×', () => { row.remove(); axesPart.querySelector(':scope > button').focus(); }, {class: 'quiet', 'aria-label': 'Remove this axis'}));
    axes.append(row);
    return row;
  };

  const standardMethod = settingNamed('method').default ?? 'gass';
  const methodForm = makeMethodForm(capabilities.methods, standardMethod, () => drawFor());
  const steps = makeField({...settingNamed('steps'), maximum: limits.steps ?? settingNamed('steps').maximum}, 'Steps');
  const cfg = makeField(settingNamed('cfg_scale'), 'Guidance scale');
  const seed = h('input', {id: 'seed', type: 'number', min: 0, max: settingNamed('seed').maximum, step: 1, placeholder: 'new ones each time', inputmode: 'numeric', 'aria-describedby': 'seed-says'});
  const seedField = h('div', {class: 'field'}, h('label', {for: 'seed'}, 'First seed'), seed,
    h('small', {id: 'seed-says'}, 'the same seed and settings make the same set again'));
  const others = (capabilities.settings ?? []).filter(setting => !OWN.includes(setting.name)).map(setting => makeField(setting, humanName(setting.name)));

  const rivals = capabilities.methods.map(method => h('label', {class: 'choice'}, h('input', {type: 'checkbox', value: method.name,
    checked: ['none', standardMethod].includes(method.name)}), method.name));
  const comparePart = h('fieldset', {class: 'part'}, h('legend', {}, 'Compare methods'),
    h('p', {class: 'note'}, 'The same prompt from the same seeds, side by side.'), h('div', {class: 'choices'}, rivals),
    button('Make and compare', () => compare(), {id: 'compare'}));

  const away = h('div', {class: 'away', hidden: true});
  let awayPictures = [];
  const drawAway = () => {
    away.hidden = awayPictures.length === 0;
    away.replaceChildren(h('span', {}, 'Kept away from'), ...awayPictures.map(picture => h('span', {class: 'chip'},
      h('img', {src: picture, alt: 'a picture of yours'}),
      button('×', () => { awayPictures = awayPictures.filter(other => other !== picture); drawAway(); }, {class: 'quiet', 'aria-label': 'Do not keep away from this picture'}))));
  };

  const rare = h('details', {class: 'rare'}, h('summary', {}, `Rarely needed (${others.length})`), h('div', {class: 'fields'}, others.map(other => other.element)));
  const more = h('details', {class: 'more'}, h('summary', {}, 'More: method, axes, seeds, compare'),
    h('div', {class: 'more-parts'},
      h('div', {class: 'column'}, h('div', {class: 'part'}, h('div', {class: 'fields'}, field('Without', negative), seedField, steps.element, cfg.element)), axesPart),
      h('div', {class: 'column'}, h('div', {class: 'part'}, methodForm.element), comparePart),
      others.length ? rare : null));

  // What is set behind "More" shows while that is closed, and can be taken back.
  const pins = h('div', {class: 'pins', hidden: true});
  const cleared = (name, clear) => button('×', () => { clear(); drawFor(); drawPins(); more.firstChild.focus(); }, {class: 'quiet', 'aria-label': `Take back: ${name}`});
  const drawPins = () => {
    const n = axisTexts().length;
    const set = [[seed.value && `seeds from ${seed.value}`, () => { seed.value = ''; }],
      [methodForm.spec() !== standardMethod && `method ${parseMethod(methodForm.spec()).map(part => part.name).join('+')}${methodForm.spec().includes(':') ? ' with parameters' : ''}`,
        () => methodForm.fill(standardMethod)],
      [methodForm.takesAxes() && n > 0 && counted(n, 'named axis', 'named axes'), () => axes.replaceChildren()],
      [negative.value && `without ${negative.value}`, () => { negative.value = ''; }],
      ...[steps, cfg, ...others].map(one => [one.value() !== undefined && `${one.label.toLowerCase()} ${one.value()}`, () => one.fill(undefined)])].filter(([name]) => name);
    pins.hidden = more.open || set.length === 0;
    pins.replaceChildren(...set.map(([name, clear]) => h('span', {class: 'chip'}, h('span', {}, name), cleared(name, clear))));
  };

  const submit = h('button', {type: 'submit', class: 'main'}, 'Make');
  const element = h('form', {class: 'composer', novalidate: true, onsubmit: event => { event.preventDefault(); make(); }},
    h('label', {for: 'prompt'}, 'What should the images show?'),
    h('div', {class: 'ask'}, prompt, submit), promptError, away,
    h('div', {class: 'basics'}, imagesField, dialField, field('Model', model), h('div', {class: 'field'}, h('label', {for: 'size'}, 'Size'), size, ownSize)),
    pins, more);

  const drawDial = () => {
    const value = Number(dial.value);
    dialValue.textContent = shown(value, 2);
    dialSays.textContent = DIAL.find(([most]) => value <= most)[1];
    dial.setAttribute('aria-valuetext', `${shown(value, 2)}, ${dialSays.textContent}`);
  };
  const drawFor = () => {
    const hasDial = methodForm.hasDial();
    dial.disabled = !hasDial;
    if (hasDial) drawDial();
    else { dialValue.textContent = ''; dialSays.textContent = `${methodForm.spec().split(':')[0]} has no dial; its parameters are under More`; }
    axesPart.hidden = !methodForm.takesAxes();
  };
  const drawModel = () => {
    const chosen = modelNamed(model.value);
    const before = size.value;
    size.replaceChildren(...sizesOf(chosen).map(([w, h1], k) => h('option', {value: k === 0 ? '' : `${w}x${h1}`}, `${w} × ${h1}`)),
      h('option', {value: 'own'}, 'another size…'));
    size.value = [...size.options].some(option => option.value === before) ? before : '';
    steps.input.placeholder = chosen.steps ?? '';
    cfg.input.placeholder = chosen.cfg_scale ?? '';
    width.placeholder = chosen.width;
    height.placeholder = chosen.height;
    model.title = chosen.description ?? '';
  };
  const keep = () => remember('settings', {images: Number(images.value), strength: Number(dial.value), model: model.value});
  const grow = () => { prompt.style.height = 'auto'; prompt.style.height = `${prompt.scrollHeight + 2}px`; };

  const showError = error => {
    for (const control of element.querySelectorAll('[aria-invalid]')) control.removeAttribute('aria-invalid');
    promptError.hidden = !error;
    if (!error) return;
    promptError.textContent = error.message;
    const control = {images, strength: dial, model, width, height, prompt, vary: axes.querySelector('input'), negative_prompt: negative, seed,
      steps: steps.input, cfg_scale: cfg.input, method: methodForm.element.querySelector('select')}[error.where] ?? others.find(other => other.name === error.where)?.input;
    if (!control) return;
    control.setAttribute('aria-invalid', 'true');
    if (more.contains(control)) more.open = true;
    control.focus();
  };

  const axisTexts = () => [...axes.children].map(row => [...row.querySelectorAll('input')].map(input => input.value.trim())).filter(([from, to]) => from || to);
  const request = () => {
    const body = {prompt: prompt.value.trim(), model: model.value, images: Number(images.value) || IMAGES, method: methodForm.spec()};
    if (methodForm.hasDial()) body.strength = Number(dial.value);
    if (negative.value.trim()) body.negative_prompt = negative.value.trim();
    if (methodForm.takesAxes() && axisTexts().length) body.vary = axisTexts().map(ends => ends.join('|')).join('; ');
    const [w, h1] = size.value === 'own' ? [width.value, height.value] : size.value.split('x');
    if (w) body.width = Number(w);
    if (h1) body.height = Number(h1);
    body.seed = seed.value === '' ? Math.floor(Math.random() * LARGEST_DRAWN_SEED) : Number(seed.value);
    for (const other of [steps, cfg, ...others]) if (other.value() !== undefined) body[other.name] = other.value();
    if (awayPictures.length) {
      body.away = {pictures: awayPictures.map(picture => picture.split(',')[1])};
      if (!body.method.includes('spell')) body.method = body.method === 'none' ? 'spell' : `spell+${body.method}`;
    }
    return body;
  };
  // What the server could not tell apart is said here.
  const objection = () => {
    if (!prompt.value.trim()) return {where: 'prompt', message: 'Write what the images should show.'};
    const halves = axisTexts().find(([from, to]) => !from || !to || /[|;]/.test(from + to));
    axisError.hidden = !halves;
    if (!halves) return null;
    axisError.textContent = 'An axis has two texts, without | and ;';
    return {where: 'vary', message: axisError.textContent};
  };
  const ask = async send => {
    const wrong = objection();
    showError(wrong);
    if (wrong) return;
    keep();
    submit.disabled = true;
    try { await send(); } catch (error) { showError(error); } finally { submit.disabled = false; }
  };
  const make = () => ask(() => onMake(request()));
  const compare = () => {
    const chosen = rivals.map(label => label.querySelector('input')).filter(box => box.checked).map(box => box.value);
    if (chosen.length < 2) return showError({where: '', message: 'Choose two methods or more to compare.'});
    if (chosen.length > (limits.compared ?? Infinity)) return showError({where: '', message: `This server compares at most ${limits.compared} methods at once.`});
    return ask(() => {
      const {method, ...body} = request();
      const own = parseMethod(method).map(part => part.name).join('+');
      return onCompare({...body, methods: chosen.map(name => name === own ? method : name)});
    });
  };

  prompt.addEventListener('keydown', event => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) { event.preventDefault(); make(); }
  });
  prompt.addEventListener('input', () => { grow(); showError(null); });
  dial.addEventListener('input', () => { methodForm.followDial(); drawDial(); keep(); });
  images.addEventListener('change', keep);
  model.addEventListener('change', () => { drawModel(); keep(); });
  size.addEventListener('change', () => { ownSize.hidden = size.value !== 'own'; });
  more.addEventListener('toggle', drawPins);
  drawModel();
  drawFor();

  return {
    element, prompt, request,
    isEmpty: () => prompt.value.trim() === '',
    showError,
    keepAwayFrom: picture => { awayPictures.push(picture); drawAway(); },
    // `settings` as a request, a plan or a record has them, with `prompt` and `seed`.
    fill: settings => {
      prompt.value = settings.prompt ?? '';
      if (modelNamed(settings.model)) model.value = settings.model;
      drawModel();
      if (settings.images) images.value = settings.images;
      methodForm.fill(settings.method);
      dial.value = settings.strength ?? parseMethod(settings.method).map(part => part.parameters.strength).find(Boolean) ?? 0.5;
      const own = modelNamed(model.value);
      const isOwn = !settings.width || (settings.width === own.width && settings.height === own.height);
      const option = isOwn ? '' : `${settings.width}x${settings.height}`;
      size.value = [...size.options].some(one => one.value === option) ? option : 'own';
      [width.value, height.value] = isOwn ? ['', ''] : [settings.width, settings.height];
      ownSize.hidden = size.value !== 'own';
      negative.value = settings.negative_prompt ?? '';
      axes.replaceChildren();
      for (const ends of parseAxes(settings.vary)) addAxis(...ends);
      seed.value = settings.seed ?? '';
      steps.fill(settings.steps === own.steps ? undefined : settings.steps);
      cfg.fill(settings.cfg_scale === own.cfg_scale ? undefined : settings.cfg_scale);
      for (const other of others) other.fill(settings[other.name]);
      rare.open = others.some(other => other.value() !== undefined);
      awayPictures = [];
      drawAway();
      drawFor();
      drawPins();
      grow();
      showError(null);
    },
  };
};
