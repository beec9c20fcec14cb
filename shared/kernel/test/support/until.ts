import { setTimeout as sleep } from 'node:timers/promises';

/** Only a test that fails waits for so long: a machine may be many times slower than the one a test was written on. */
const WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 20;

/** For tests: waits until something holds. @throws with `what` when it does not within two minutes */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMs = WITHIN_MS,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(LOOK_EVERY_MS);
  }
}

/** For tests: asks for something until it works. @throws with `what` when it does not within two minutes */
export async function untilItWorks(what: string, work: () => Promise<unknown>): Promise<void> {
  await until(what, () =>
    work().then(
      () => true,
      () => false,
    ),
  );
}
