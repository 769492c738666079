// The model, and a size that it can make.

import {h} from './dom.js';
import {labelled} from './fields.js';

const OWN = 'own';

const firstModel = ({models, default_model: standard}) => {
  const found = models.find(model => model.name === 'mini-turbo') ?? models.find(model => model.is_distilled)
    ?? models.find(model => model.name === standard) ?? models[0];
  return found?.name;
};

// Sizes of about the model's own number of pixels.
const sizesOf = ({width, height}) => {
  const eighths = value => Math.max(8, Math.round(value / 8) * 8);
  const tall = [eighths(width * 0.866), eighths(height * 1.155)];
  return [[width, height], tall, [tall[1], tall[0]]];
};

export const makeModelForm = (capabilities, saved, onChange) => {
  const {models, limits = {}} = capabilities;
  const named = name => models.find(one => one.name === name);
  const model = h('select', {id: 'model'}, models.map(one => h('option', {value: one.name, title: one.description ?? ''}, one.name)));
  model.value = named(saved) ? saved : firstModel(capabilities);
  const size = h('select', {id: 'size'});
  const pixels = (id, name, most) => h('input', {id, type: 'number', min: 8, max: most, step: 8, 'aria-label': `${name} in pixels`});
  const width = pixels('width', 'Width', limits.width);
  const height = pixels('height', 'Height', limits.height);
  const ownSize = h('div', {class: 'own-size', hidden: true}, width, h('span', {'aria-hidden': 'true'}, '×'), height);
  const chosen = () => named(model.value);

  const choose = wanted => {
    const isThere = [...size.options].some(option => option.value === wanted);
    size.value = isThere ? wanted : OWN;
    ownSize.hidden = size.value !== OWN;
  };
  const draw = (wanted = '') => {
    const options = sizesOf(chosen()).map(([w, h1], k) => h('option', {value: k === 0 ? '' : `${w}x${h1}`}, `${w} × ${h1}`));
    size.replaceChildren(...options, h('option', {value: OWN}, 'another size…'));
    choose(wanted);
    width.placeholder = chosen().width;
    height.placeholder = chosen().height;
    model.title = chosen().description ?? '';
  };
  model.addEventListener('change', () => { draw(size.value === OWN ? OWN : ''); onChange(); });
  size.addEventListener('change', () => choose(size.value));
  draw();

  return {
    modelField: labelled('Model', model), sizeField: labelled('Size', size, ownSize),
    controls: {model, width, height}, chosen,
    value: () => {
      const [w, h1] = size.value === OWN ? [width.value, height.value] : size.value.split('x');
      return {model: model.value, ...w && {width: Number(w)}, ...h1 && {height: Number(h1)}};
    },
    fill: settings => {
      if (named(settings.model)) model.value = settings.model;
      const isUsual = !settings.width || (settings.width === chosen().width && settings.height === chosen().height);
      [width.value, height.value] = isUsual ? ['', ''] : [settings.width, settings.height];
      draw(isUsual ? '' : `${settings.width}x${settings.height}`);
    },
  };
};
