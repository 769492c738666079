// Elements, and words for those who listen. Text always goes in as text: nothing here parses markup.

export const h = (tag, properties = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (key === 'value' || key === 'checked' || key === 'disabled') element[key] = value;
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
  return element;
};

export const svg = (tag, attributes = {}, text) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
};

export const button = (label, onclick, more = {}) => h('button', {type: 'button', onclick, ...more}, label);

// What this browser keeps from visit to visit; some keep nothing.
export const recall = name => {
  try { return JSON.parse(localStorage.getItem(`gass-${name}`)); } catch { return null; }
};
export const remember = (name, value) => {
  try { localStorage.setItem(`gass-${name}`, JSON.stringify(value)); } catch { /* then it is forgotten */ }
};

let lastAnnounced = '';
// For screen readers; repeated words are not said again.
export const announce = text => {
  if (text === lastAnnounced) return;
  lastAnnounced = text;
  document.getElementById('announce').textContent = text;
};

export const toast = (text, {isError = false, action} = {}) => {
  const box = h('div', {class: isError ? 'toast bad' : 'toast', role: isError ? 'alert' : 'status'}, h('span', {}, text));
  const close = () => box.remove();
  if (action) box.append(button(action.label, () => { close(); action.run(); }, {class: 'quiet'}));
  box.append(button('×', close, {class: 'quiet', 'aria-label': 'Close this message'}));
  document.getElementById('toasts').append(box);
  setTimeout(close, isError ? 12000 : 6000);
  return close;
};

// A dialog that Esc, its × and a click beside it close.
export const openDialog = (label, content, className = '') => {
  const box = h('dialog', {class: className, 'aria-label': label});
  const close = () => box.close();
  box.append(button('×', close, {class: 'quiet close', 'aria-label': 'Close'}), ...[content].flat());
  box.addEventListener('click', event => { if (event.target === box) close(); });
  box.addEventListener('close', () => box.remove());
  document.body.append(box);
  box.showModal();
  return box;
};

export const confirmed = question => new Promise(resolve => {
  let answer = false;
  const box = openDialog(question, [
    h('p', {class: 'question'}, question),
    h('div', {class: 'row'}, button('Delete for good', () => { answer = true; box.close(); }, {class: 'danger', autofocus: true}),
      button('Keep it', () => box.close()))], 'small');
  box.addEventListener('close', () => resolve(answer));
});

export const copyText = async (text, control) => {
  const label = control.textContent;
  const isCopied = await (navigator.clipboard?.writeText(text).then(() => true, () => false) ?? false);
  control.textContent = isCopied ? 'Copied' : 'Not copied: select the text';
  announce(control.textContent);
  setTimeout(() => { control.textContent = label; }, 2000);
};

export const isTyping = target =>
  target.closest?.('textarea, select, [contenteditable], input:not([type=checkbox]):not([type=radio]):not([type=range])');
