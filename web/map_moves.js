// How a map is moved: one pointer drags, two pinch, Ctrl and the wheel zoom, and the keyboard does it all.

const STEP = 60;  // pixels
const ZOOM = 1.4;
const STILL = 4;  // a pointer that moves less than this clicks

const onKeys = (field, {moveBy, zoomBy, fit}) => field.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const act = {
    ArrowLeft: () => moveBy(STEP, 0), ArrowRight: () => moveBy(-STEP, 0), ArrowUp: () => moveBy(0, STEP), ArrowDown: () => moveBy(0, -STEP),
    '+': () => zoomBy(ZOOM), '=': () => zoomBy(ZOOM), '-': () => zoomBy(1 / ZOOM), 0: fit,
  }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

// `hasDragged()` says whether the pointer that went up last had moved the map; `stop()` ends it all.
export const watchMoves = (field, map) => {
  const end = new AbortController();
  const pointers = new Map();
  let hasDragged = false;
  const local = event => {
    const {left, top} = field.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  };
  const distance = (one, other) => Math.hypot(one[0] - other[0], one[1] - other[1]);

  field.addEventListener('pointerdown', event => {
    pointers.set(event.pointerId, local(event));
    if (pointers.size === 1) hasDragged = false;
  });
  addEventListener('pointermove', event => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const now = local(event);
    if (pointers.size === 1) {
      if (!hasDragged && distance(now, before) < STILL) return;
      map.moveBy(now[0] - before[0], now[1] - before[1]);
    } else {
      const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
      map.zoomBy(distance(now, other) / Math.max(1, distance(before, other)), other);
    }
    hasDragged = true;
    pointers.set(event.pointerId, now);
  }, {signal: end.signal});
  for (const name of ['pointerup', 'pointercancel']) {
    addEventListener(name, event => pointers.delete(event.pointerId), {signal: end.signal});
  }
  field.addEventListener('wheel', event => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    map.zoomBy(Math.exp(-event.deltaY / 300), local(event));
  }, {passive: false});
  onKeys(field, map);
  return {hasDragged: () => hasDragged, stop: () => end.abort()};
};
