/** `npm run fuzz:verify` runs more cases. */
import { expect, it } from '@jest/globals';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { readSnapshots, tryChangedSnapshots } from './snapshot-fuzz.ts';
import { readOriginals, tryChangedAnswers, tryDamagedTries } from './verify-fuzz.ts';

it('verifies no answer that is wrong, whatever was changed in it', async () => {
  const originals = await readOriginals((await sharedDevchain(process.env)).url);
  const tally = await tryChangedAnswers(originals, 4_000, 1);
  expect([...tally.values()].reduce((sum, each) => sum + each)).toBe(4_000);
  // Reaches each of the checks: an answer with an unimportant change is verified.
  for (const outcome of [
    'verified',
    'amount',
    'node_hash',
    'node_missing',
    'header_hash',
    'slot_value',
    'claim',
  ])
    expect([outcome, tally.get(outcome)]).toEqual([outcome, expect.any(Number)]);
});

it('verifies no row of a snapshot that is wrong, and no snapshot with other rows, whatever was changed in it', async () => {
  const snapshots = await readSnapshots((await sharedDevchain(process.env)).url);
  const tally = await tryChangedSnapshots(snapshots, 2_000, 1);
  expect([...tally.values()].reduce((sum, each) => sum + each)).toBe(2_000);
  for (const outcome of [
    'verified',
    'incomplete',
    'node_hash',
    'node_missing',
    'node_extra',
    'invalid_answer',
  ])
    expect([outcome, tally.get(outcome)]).toEqual([outcome, expect.any(Number)]);
});

it('finds no value in a damaged trie that another implementation does not find', async () => {
  expect(await tryDamagedTries(300, 1)).toBeGreaterThan(100);
});
