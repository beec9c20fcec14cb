/** Plays the plan on a thread of its own, so that the process can load everything else meanwhile. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Head } from './seed.ts';

/** The same as `seedAnvil`. @param onBegin called once the thread has all it needs */
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
