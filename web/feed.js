// A job as it is known at the moment: what GET says of it, and what its events add.

import {events, get, pause} from './api.js';

const FINAL = ['completed', 'failed', 'cancelled'];
const REDRAW_MS = 40;
const ASK_MS = 1500;

export const isFinal = job => FINAL.includes(job.state);

// `onChange(state)` with {job, previews, statistics, isConnected}, at most every 40 ms: a replayed stream is drawn once.
export const follow = (first, onChange, onError) => {
  const state = {job: first, previews: new Map(), statistics: null, isConnected: true};
  const stop = new AbortController();
  let timer = null;
  const changed = () => {
    timer ??= setTimeout(() => { timer = null; if (!stop.signal.aborted) onChange(state); }, REDRAW_MS);
  };

  const apply = ({name, data}) => {
    if (name === 'state' || FINAL.includes(data.state)) {
      // A state that is told again is old: nobody moves back in the queue.
      const position = data.position && state.job.position ? Math.min(data.position, state.job.position) : data.position;
      state.job = {...data, position, images: data.images?.length ? data.images : state.job.images};
    } else if (name === 'progress') {
      state.job.progress = data;
      if (state.job.state === 'queued' && data.phase !== 'queued') state.job.state = 'running';
    } else if (name === 'preview') {
      state.previews.set(data.index, data.data ?? `jobs/${state.job.id}/previews/${data.index}?step=${data.step}`);
    } else if (name === 'image') {
      const size = {width: state.job.plan?.width, height: state.job.plan?.height};
      state.job.images = [...(state.job.images ?? []).filter(image => image.index !== data.index), {...size, ...data}];
    } else if (name === 'statistics') state.statistics = data;
    changed();
  };

  // Far back in the queue a job is asked after: the six connections that browsers open are for those that run.
  const wait = async () => {
    while (!stop.signal.aborted && state.job.state === 'queued' && state.job.position > 1) {
      await pause(ASK_MS, stop.signal);
      if (stop.signal.aborted) return;
      try {
        state.job = await get(`jobs/${first.id}`);
        state.isConnected = true;
      } catch (error) {
        if (error.status >= 400 && error.status < 500) throw error;
        state.isConnected = false;
      }
      changed();
    }
  };

  const run = async () => {
    await wait();
    if (isFinal(state.job)) return;
    for await (const event of events(first.id, stop.signal, isUp => {
      if (state.isConnected !== isUp) { state.isConnected = isUp; changed(); }
    })) apply(event);
    // The events say how it went; the record says what it is.
    if (!stop.signal.aborted && isFinal(state.job)) {
      state.job = await get(`jobs/${first.id}`);
      changed();
    }
  };

  if (isFinal(first)) changed();
  else run().catch(error => { if (!stop.signal.aborted) onError(error); });
  return {state, stop: () => { stop.abort(); clearTimeout(timer); }};
};
