// The geometry of the map: a fan of the sphere below the prompt, which is the pole. Nearer to the pole is nearer to the prompt; from
// side to side runs the axis that the images differ along most.

const LEAST_RANGE = 0.02;  // smaller differences to the prompt are not blown up to fill the fan
const LEAST_WIDTH = 0.05;
const MARGIN = 1.2;
const ROUNDS = 80;

// [across, along] of each image, or null where the server tells none.
export const placesOf = job => {
  const {along = [], across = []} = job.spread ?? {};
  if (along.length === job.images.length && across.length === along.length) return job.images.map((_, i) => [across[i], along[i]]);
  return job.images.every(image => image.place) ? job.images.map(image => image.place) : null;
};

// Round values from `low` to `high`, about so many, and the decimals that they need.
export const niceSteps = (low, high, about) => {
  const raw = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(factor => factor * power).find(candidate => candidate >= raw);
  const steps = [];
  for (let value = Math.ceil(low / step) * step; value <= high + step / 1e6; value += step) steps.push(value);
  return {steps, decimals: Math.max(0, -Math.floor(Math.log10(step) + 1e-9))};
};

// `at(across, along)` is a place in the plane: the pole is (0, 0), down is positive. Narrow windows get a taller fan.
export const makeFan = (places, isNarrow) => {
  const angle = isNarrow ? 0.5 : 0.66;
  const [inner, outer] = isNarrow ? [0.75, 2] : [1.15, 2];
  const alongs = places.map(place => place[1]);
  const [least, greatest] = [Math.min(...alongs), Math.max(...alongs)];
  const half = MARGIN / 2 * Math.max(LEAST_RANGE, greatest - least);
  const [low, high] = [(least + greatest) / 2 - half, (least + greatest) / 2 + half];
  const most = MARGIN * Math.max(LEAST_WIDTH, ...places.map(place => Math.abs(place[0])));
  const at = (across, along) => {
    const turn = angle * across / most;
    const radius = inner + (outer - inner) * (high - along) / (high - low);
    return [radius * Math.sin(turn), radius * Math.cos(turn)];
  };
  const side = outer * Math.sin(angle);
  return {at, low, high, most, box: {left: -side, right: side, top: inner * Math.cos(angle), bottom: outer}};
};

// Squares of that side, moved off each other as little as that takes; `room` keeps them within a window.
export const separated = (centers, side, room = null) => {
  const moved = centers.map((center, i) => [center[0] + 0.01 * (i % 3), center[1] + 0.01 * (i % 2)]);
  const arePart = (one, other) => {
    const [x, y] = [side - Math.abs(other[0] - one[0]), side - Math.abs(other[1] - one[1])];
    if (x <= 0 || y <= 0) return true;
    const axis = x < y ? 0 : 1;
    const push = Math.min(x, y) / 4 * (other[axis] < one[axis] ? -1 : 1);
    one[axis] -= push;
    other[axis] += push;
    return false;
  };
  let isCalm = false;
  for (let round = 0; round < ROUNDS && !isCalm; ++round) {
    isCalm = true;
    for (let i = 0; i < moved.length; ++i) for (let j = i + 1; j < moved.length; ++j) isCalm = arePart(moved[i], moved[j]) && isCalm;
  }
  if (!room) return moved;
  return moved.map(center => center.map((value, axis) => Math.min(room[axis] - side / 2, Math.max(side / 2, value))));
};
