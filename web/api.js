// The server's native API. Addresses are relative, so that the page works below any prefix.

import {button, h, openDialog} from './dom.js';

const root = new URL('api/v1/', document.baseURI);
const MOST_STREAMS = 3;  // browsers open six connections to a server, and pictures need some of them
const FINAL_EVENTS = ['done', 'failed', 'cancelled'];
let key = sessionStorage.getItem('gass-key') ?? '';
let asking = null;

export class ApiError extends Error {
  constructor(status, {where = '', message = `The server answered ${status}.`} = {}) {
    super(message);
    Object.assign(this, {status, where});
  }
}

const askKey = () => asking ??= new Promise(resolve => {
  let isGiven = false;
  const forManagers = h('input', {type: 'text', value: 'gass', autocomplete: 'username', hidden: true});  // of passwords
  const field = h('input', {type: 'password', id: 'key', autocomplete: 'current-password', required: true});
  const box = openDialog('API key', h('form', {onsubmit: event => {
    event.preventDefault();
    key = field.value.trim();
    sessionStorage.setItem('gass-key', key);
    isGiven = true;
    box.close();
  }}, h('h2', {}, 'This server asks for a key'), forManagers,
    h('label', {for: 'key'}, 'API key'), field,
    h('p', {class: 'note'}, 'It is kept until this tab closes.'), button('Go on', undefined, {class: 'main', type: 'submit'})), 'small');
  box.addEventListener('close', () => { asking = null; resolve(isGiven); });
});

const headers = more => key ? {...more, Authorization: `Bearer ${key}`} : {...more};

const answer = async (path, options = {}) => {
  let response;
  try {
    response = await fetch(new URL(path, root), {...options, headers: headers(options.headers)});
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ApiError(0, {message: 'The server does not answer. Is gass serve still running?'});
  }
  if (response.status === 401 && await askKey()) return answer(path, options);
  if (!response.ok) {
    const body = await response.json().catch(() => ({}));
    throw new ApiError(response.status, body.error);
  }
  return response;
};

export const get = async path => (await answer(path)).json();
export const post = async (path, body) =>
  (await answer(path, {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body ?? {})})).json();
export const remove = path => answer(path, {method: 'DELETE'});
export const upload = async (path, name, file) => {
  const form = new FormData();
  form.append(name, file, file.name || 'picture.png');
  return (await answer(path, {method: 'POST', body: form})).json();
};

export const imagePath = (id, index) => `jobs/${id}/images/${index}`;
export const address = path => new URL(path, root).href;
export const blob = async path => (await answer(path)).blob();

// An <img> cannot send a key: with one, pictures come as blobs.
export const showPicture = async (image, path) => {
  if (!key || path.startsWith('data:')) {
    image.src = path.startsWith('data:') ? path : address(path);
    return;
  }
  const mine = image.dataset.path = path;
  const url = URL.createObjectURL(await blob(path).catch(() => new Blob()));
  image.addEventListener('load', () => URL.revokeObjectURL(url), {once: true});
  if (image.dataset.path === mine) image.src = url;
};

export const save = async (path, name) => {
  const link = h('a', {download: name});
  const url = key ? URL.createObjectURL(await blob(path)) : null;
  link.href = url ?? address(path);
  link.click();
  if (url) setTimeout(() => URL.revokeObjectURL(url), 60000);
};

export const pause = (ms, signal) => new Promise(resolve => {
  const timer = setTimeout(resolve, ms);
  signal.addEventListener('abort', () => { clearTimeout(timer); resolve(); }, {once: true});
});

let openStreams = 0;
const waiting = [];
const enterStream = async signal => {
  while (openStreams >= MOST_STREAMS && !signal.aborted) {
    await new Promise(resolve => { waiting.push(resolve); signal.addEventListener('abort', resolve, {once: true}); });
  }
  openStreams += 1;
};
const leaveStream = () => { openStreams -= 1; waiting.shift()?.(); };

const eventOf = block => {
  const event = {id: '', name: 'message', data: ''};
  for (const line of block.split('\n')) {
    const [field, ...rest] = line.split(':');
    const content = rest.join(':').replace(/^ /, '');
    if (field === 'id') event.id = content;
    else if (field === 'event') event.name = content;
    else if (field === 'data') event.data += content;
  }
  return event;
};

// Server-sent events as {id, name, data}; EventSource could send no key.
const parsed = async function* (response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (;;) {
      const {done, value} = await reader.read();
      if (done) return;
      const blocks = (text + value).replaceAll('\r\n', '\n').split('\n\n');
      text = blocks.pop();
      yield* blocks.map(eventOf).filter(event => event.data);
    }
  } finally {
    reader.cancel().catch(() => {});
  }
};

// All events of a job to its last one, whatever happens to the connection. `onConnection(isUp)` says when it is lost and found.
export const events = async function* (id, signal, onConnection) {
  let last = '';
  let wait = 500;
  await enterStream(signal);
  try {
    while (!signal.aborted) {
      try {
        const response = await answer(`jobs/${id}/events`, {signal, headers: last ? {'Last-Event-ID': last} : {}});
        onConnection(true);
        for await (const event of parsed(response)) {
          wait = 500;
          last = event.id || last;
          yield {name: event.name, data: JSON.parse(event.data)};
          if (FINAL_EVENTS.includes(event.name)) return;
        }
      } catch (error) {
        if (signal.aborted) return;
        if (error.status >= 400 && error.status < 500) throw error;
        onConnection(false);
      }
      await pause(wait, signal);
      wait = Math.min(10000, 2 * wait);
    }
  } finally {
    leaveStream();
  }
};
