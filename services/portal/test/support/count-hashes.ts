import { createHook } from 'node:async_hooks';

/** What Node calls the job that computes one argon2 hash. */
const JOB = 'ARGON2REQUEST';

/** How many passwords are hashed during some work: what makes one answer take longer than another, without a clock. */
export async function countHashes(work: () => Promise<unknown>): Promise<number> {
  let hashes = 0;
  const hook = createHook({
    init: (_id, type) => {
      if (type === JOB) hashes++;
    },
  }).enable();
  try {
    await work();
  } finally {
    hook.disable();
  }
  return hashes;
}
