// What the page says in words, of numbers, phases and methods.

export const shown = (value, decimals) => {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  const text = Math.abs(value).toFixed(decimals);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
};

export const counted = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;

export const duration = seconds => {
  if (seconds < 1) return 'less than a second';
  if (seconds < 90) return counted(Math.round(seconds), 'second');
  if (seconds < 5400) return counted(Math.round(seconds / 60), 'minute');
  return counted(Math.round(seconds / 3600), 'hour');
};

const PHASES = {
  queued: 'Waiting', loading: 'Loading the model', text: 'Reading the prompt', candidates: 'Looking at candidates',
  sampling: 'Making the images', decoding: 'Finishing the pictures', saving: 'Saving',
};

export const progressLine = job => {
  const {phase = 'queued', step = 0, steps = 0, eta_s: eta} = job.progress ?? {};
  if (job.state === 'queued') {
    return job.position > 0 ? `Waiting: ${counted(job.position, 'set')} before this one` : 'Waiting for its turn';
  }
  let line = PHASES[phase] ?? phase;
  if (phase === 'sampling' && steps) line += `: step ${step} of ${steps}`;
  if (eta !== null && eta !== undefined && eta >= 0.5) line += `, about ${duration(eta)} left`;
  return line;
};

export const endLine = job => {
  const n = job.images?.length ?? 0;
  if (job.state === 'completed') {
    const seconds = job.cost?.seconds;
    return `${counted(n, 'image')}${seconds ? ` in ${shown(seconds, 1)} s` : ''}`;
  }
  if (job.state === 'cancelled') return n ? `Stopped; ${counted(n, 'image')} were finished` : 'Stopped before an image was finished';
  return `This set could not be made${job.error ? `: ${job.error.message}` : ''}`;
};

// "gass:strength=0.8,interval=0.76+cads" as [{name, parameters}].
export const parseMethod = spec => (spec || '').split('+').filter(Boolean).map(part => {
  const [name, rest = ''] = part.split(/:(.*)/s);
  const parameters = Object.fromEntries(rest.split(',').filter(Boolean).map(pair => pair.split(/=(.*)/s).slice(0, 2)));
  return {name: name.trim(), parameters};
});

export const methodNames = spec => parseMethod(spec).map(part => part.name).join('+');

// One parameter more in the spec of one method.
export const withParameter = (spec, name, value) => `${spec}${spec.includes(':') ? ',' : ':'}${name}=${value}`;

// The method that keeps a set away from pictures, before the one that is wanted.
export const withSpell = spec => {
  if (/(^|\+)spell\b/.test(spec)) return spec;
  return spec === 'none' ? 'spell' : `spell+${spec}`;
};

export const shortMethod = job => {
  const methods = parseMethod(job.plan?.method ?? job.request?.method ?? 'gass');
  const names = methods.map(method => method.name).join('+');
  const strength = methods.map(method => method.parameters.strength).find(Boolean) ?? job.plan?.strength ?? job.request?.strength;
  return strength === undefined || strength === null || !names.includes('gass') ? names : `${names}, strength ${Number(strength)}`;
};

export const originLine = job => {
  const plan = {...job.request, ...job.plan};
  const parts = [plan.model];
  if (plan.steps) parts.push(counted(plan.steps, 'step'));
  if (plan.cfg_scale !== undefined && plan.cfg_scale !== null) parts.push(`CFG ${plan.cfg_scale}`);
  if (plan.width) parts.push(`${plan.width} × ${plan.height}`);
  parts.push(`method ${shortMethod(job)}`);
  return parts.filter(Boolean).join(' · ');
};

export const parseAxes = vary => (vary || '').split(';').map(axis => axis.split('|').map(end => end.trim()))
  .filter(ends => ends.length === 2 && ends[0] && ends[1]);

export const wishLines = job => {
  const {request = {}} = job;
  const lines = [];
  if (request.negative_prompt) lines.push(`Without: ${request.negative_prompt}`);
  for (const [from, to] of parseAxes(request.vary)) lines.push(`Varied from “${from}” to “${to}”`);
  if (request.keep) lines.push(`${counted(request.keep.images.length, 'image')} kept from another set`);
  if (request.like) lines.push(`Like image ${request.like.image + 1} of another set`);
  if (request.away) lines.push('Kept away from pictures that were chosen');
  return lines;
};

// An image's own text where the prompt has choices, and where it lies on the named axes, as the page of a set says it.
export const ownLines = (job, image) => {
  const own = image.prompt && image.prompt !== job.request?.prompt ? [image.prompt] : [];
  return [...own, ...axisLines(job, image)];
};

const axisLines = (job, image) => parseAxes(job.request?.vary).slice(0, image.axis_places?.length ?? 0).map(([from, to], k) => {
  const share = Math.round(50 * (image.axis_places[k] + 1));
  if (share === 0) return from;
  return share === 100 ? to : `${to} ${share} %`;
});

const SPREADS = [[0.15, 'They are close to alike: more strength, or another method, would set them further apart.'],
  [0.35, 'They have a good deal in common.'], [0.6, 'They differ clearly.'], [Infinity, 'They have little in common.']];

export const meaning = job => {
  const n = job.images.length;
  const {vendi} = job.spread ?? {};
  if (!vendi || n < 2) return '';
  const share = (vendi - 1) / (n - 1);
  let text = `These ${n} images are worth about ${shown(vendi, 1)} that have nothing in common. `;
  text += SPREADS.find(([most]) => share < most)[1];
  if (!/^none$/.test(job.plan?.method ?? '')) {
    text += ' The guide that counts them may have helped to make them, and then sees them further apart than others do.';
  }
  return text;
};

export const spreadLine = (spread, n) =>
  `SPP ${shown(spread.spp, 3)} (along ${shown(spread.d_dep, 3)}, across ${shown(spread.d_ind, 3)}) · Vendi ${shown(spread.vendi, 2)} of ${n} · ` +
  `pairwise ${shown(spread.pairwise, 3)} · CLIPScore ${shown(spread.clip_score, 3)}`;

export const MEANINGS = [
  ['Vendi', 'How many different images the set is worth: 1 if all are alike, their number if none resembles another.'],
  ['SPP, along and across', 'How far the set spreads on the unit sphere of the guide’s embeddings: in what the prompt says, and in all it ' +
    'leaves open.'],
  ['Pairwise', 'The mean distance between two images of the set, 1 minus their cosine.'],
  ['CLIPScore', 'The mean cosine between image and prompt: how well the set still matches it.'],
];

const DAY_MS = 86400000;
export const dayOf = time => {
  const date = new Date(time);
  const days = Math.round((new Date().setHours(0, 0, 0, 0) - new Date(date).setHours(0, 0, 0, 0)) / DAY_MS);
  if (days === 0) return 'Today';
  if (days === 1) return 'Yesterday';
  return date.toLocaleDateString('en', {day: 'numeric', month: 'long', year: 'numeric'});
};
export const clockOf = time => new Date(time).toLocaleTimeString('en', {hour: '2-digit', minute: '2-digit', hour12: false});

// A file's name from a prompt: "a-photo-of-a-bird".
export const slug = text => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '').slice(0, 40) || 'set';
