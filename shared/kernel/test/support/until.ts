import { setTimeout as sleep } from 'node:timers/promises';

/** Only a failing test waits this long: a machine may be many times slower than the one the test was written on. */
const WITHIN_MS = 600_000;
const LOOK_EVERY_MS = 20;

/** For tests: waits until a condition holds. @throws with `what` when it does not within ten minutes */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMs = WITHIN_MS,
  everyMs = LOOK_EVERY_MS,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(everyMs);
  }
}

/** For tests: repeats work until it succeeds. @throws with `what`, and its last error, when it does not within ten minutes */
export async function untilItWorks(what: string, work: () => Promise<unknown>): Promise<void> {
  let cause: unknown;
  const works = (): Promise<boolean> =>
    work().then(
      () => true,
      (error: unknown) => {
        cause = error;
        return false;
      },
    );
  await until(what, works).catch((error: Error) => {
    throw new Error(error.message, { cause });
  });
}
