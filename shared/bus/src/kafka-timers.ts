/**
 * On each connection kafkajs 2.2.4 checks for throttled requests with a timer that re-arms itself, with a time in the
 * past when nothing is throttled: a thousand times a second, about 5 % of a core when idle, and a warning from Node
 * (src/network/requestQueue/index.js, scheduleCheckPendingRequests). No setting prevents it.
 */
import { createRequire } from 'node:module';

interface RequestQueue {
  readonly throttledUntil: number;
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests(this: RequestQueue): void;
}

const MODULE = 'kafkajs/src/network/requestQueue/index.js';
const mended = new WeakSet<RequestQueue>();

/** Keeps the timer from being set while no request is throttled. May be called any number of times. */
export function mendIdleTimers(): void {
  const { prototype } = createRequire(import.meta.url)(MODULE) as { prototype: RequestQueue };
  if (mended.has(prototype)) return;
  mended.add(prototype);
  // oxlint-disable-next-line typescript/unbound-method -- called with the queue that it is called on
  const schedule = prototype.scheduleCheckPendingRequests;
  prototype.scheduleCheckPendingRequests = function () {
    if (this.pending.length > 0 || this.throttledUntil > Date.now()) schedule.call(this);
  };
}
