/** Plays the plan on a thread of its own, so that its program can load and open other things meanwhile. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Head } from './seed.ts';

/** The same as `seedAnvil`. @param onBegin called when the thread needs nothing of this one any more but its answer heard */
export async function seedOnThread(starting: Promise<string>, onBegin: () => void): Promise<Head> {
  const thread = new Worker(new URL('./seed-thread.main.js', import.meta.url));
  try {
    const seeded = once(thread, 'message');
    void seeded.catch(() => undefined);
    thread.postMessage(await starting);
    onBegin();
    const [head] = (await seeded) as [Head];
    return head;
  } finally {
    await thread.terminate();
  }
}
