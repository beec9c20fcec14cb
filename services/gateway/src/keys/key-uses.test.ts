import { beforeEach, expect, it } from '@jest/globals';
import { createLogger } from '@hindsight/kernel/logger.ts';
import type { KeyUse } from '@hindsight/projects/store.ts';
import { KeyUses } from './key-uses.ts';
import { oldSecretId } from '@hindsight/projects/project-key.ts';
import { freeProjectByKey } from '@hindsight/projects/test/support/free-project.ts';

const MINUTE_MS = 60_000;
let writes: (readonly KeyUse[])[];
let fails: boolean;
let uses: KeyUses;

beforeEach(() => {
  writes = [];
  fails = false;
  const noteKeyUses = async (some: readonly KeyUse[]): Promise<void> => {
    if (fails) throw new Error('the store is unavailable');
    writes.push(some);
  };
  uses = new KeyUses({ noteKeyUses }, createLogger({ name: 'test', level: 'silent' }));
});

it('a key’s uses of a minute are one write, however many there are', async () => {
  const [one, two] = [freeProjectByKey('one'), freeProjectByKey('two')];
  for (let n = 0; n < 1_000; n++) uses.note(one, MINUTE_MS + n);
  uses.note(two, MINUTE_MS + 5);
  // The same key, looked up again.
  uses.note(freeProjectByKey('one'), 2 * MINUTE_MS);
  await uses.write();
  await uses.write();
  expect(writes).toEqual([
    [
      { projectId: 'one', keyId: 'default', at: 2 * MINUTE_MS },
      { projectId: 'two', keyId: 'default', at: MINUTE_MS },
    ],
  ]);
});

it('a use of an old secret is noted beside that of its key', async () => {
  const end = 5 * MINUTE_MS;
  uses.note(freeProjectByKey('one', { keyExpiresAt: end }), MINUTE_MS);
  uses.note(freeProjectByKey('one'), 2 * MINUTE_MS);
  await uses.write();
  expect(writes.flat()).toEqual([
    { projectId: 'one', keyId: 'default', at: 2 * MINUTE_MS },
    { projectId: 'one', keyId: oldSecretId('default', end), at: MINUTE_MS },
  ]);
});

it('what cannot be written is written with the next ones', async () => {
  uses.note(freeProjectByKey('one'), MINUTE_MS);
  fails = true;
  await expect(uses.write()).rejects.toThrow('unavailable');
  fails = false;
  uses.note(freeProjectByKey('two'), MINUTE_MS);
  await uses.stop();
  expect(writes.flat().map(({ projectId }) => projectId)).toEqual(['one', 'two']);
});

it('a use while an earlier one is being written waits for the next write', async () => {
  uses.note(freeProjectByKey('one'), MINUTE_MS);
  const written = uses.write();
  uses.note(freeProjectByKey('one'), 2 * MINUTE_MS);
  await written;
  await uses.write();
  expect(writes.flat().map(({ at }) => at)).toEqual([MINUTE_MS, 2 * MINUTE_MS]);
});

it('no more keys wait than there is room for, in writes of a bounded size', async () => {
  for (let n = 0; n < 20_005; n++) uses.note(freeProjectByKey(`project-${n}`), MINUTE_MS);
  await uses.write();
  expect(writes.flat()).toHaveLength(20_000);
  expect(Math.max(...writes.map((some) => some.length))).toBe(500);
});
