// A job as it is known at the moment: what GET says of it, and what its events add.

import {events, get} from './api.js';

const FINAL = ['completed', 'failed', 'cancelled'];
const REDRAW_MS = 40;

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
    if (name === 'state' || FINAL.includes(data.state)) state.job = {...data, images: data.images?.length ? data.images : state.job.images};
    else if (name === 'progress') {
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

  const run = async () => {
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
