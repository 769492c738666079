// How far a set is, in a bar, in words and for those who listen.

import {announce, button, h} from './dom.js';
import {progressLine, shown} from './words.js';

// Each phase's share of the bar; only sampling is known to last.
const shareOf = ({phase, step = 0, steps = 0}) => {
  if (phase === 'sampling' && steps) return 0.95 * step / steps;
  return ['decoding', 'saving'].includes(phase) ? 0.97 : 0.02;
};

export const makeRunning = onStop => {
  const bar = h('progress', {max: 1, 'aria-label': 'Progress of this set'});
  const line = h('span', {class: 'line'});
  const live = h('span', {class: 'note'});
  const stop = button('Stop', async () => {
    stop.disabled = true;
    await onStop();
    stop.disabled = false;
  }, {class: 'stop', 'aria-keyshortcuts': '.'});
  return {
    element: h('div', {class: 'running'}, bar, line, live, stop),
    draw: ({job, isConnected, statistics}) => {
      const progress = job.progress ?? {};
      const {phase, step = 0, steps = 0} = progress;
      if (job.state === 'queued' || phase === 'loading') bar.removeAttribute('value');
      else bar.value = shareOf(progress);
      line.textContent = isConnected === false ? 'The connection is lost; trying again…' : progressLine(job);
      live.textContent = statistics?.spp ? `SPP ${shown(statistics.spp, 3)}` : '';
      // Not every step is said: each quarter is.
      announce(phase === 'sampling' && steps ? `Making the images: ${25 * Math.floor(4 * step / steps)} %` : progressLine(job));
      document.title = `${Math.round(100 * shareOf(progress))} % – ${job.request.prompt} – gass`;
    },
  };
};
