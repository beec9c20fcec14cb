/** Plays the plan on another thread, so that the process can load everything else at the same time. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Head } from './seed.ts';

/** The same as `seedAnvil`. @param onBegin called once the thread needs nothing more from this one */
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
