/** `npm run fuzz:verify [CASES] [SEED]`: changed answers, changed snapshots and damaged tries; ends with 1 at the first that is wrong. */
import { startDevchain } from '@hindsight/devchain/devchain.ts';
import { readSnapshots, tryChangedSnapshots } from './snapshot-fuzz.ts';
import { readOriginals, tryChangedAnswers, tryDamagedTries, type Tally } from './verify-fuzz.ts';

const PART = 10_000;
/** Damaged tries in each part: each is built from its entries, which takes longer. */
const TRIES_EACH = 100;

const [count = 100_000, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number);
const chain = await startDevchain();
try {
  const originals = await readOriginals(chain.url);
  const snapshots = await readSnapshots(chain.url);
  const totals = { answers: new Map() as Tally, snapshots: new Map() as Tally };
  for (let done = 0, part = seed; done < count; done += PART, part++) {
    const size = Math.min(PART, count - done);
    add(totals.answers, await tryChangedAnswers(originals, size, part));
    add(totals.snapshots, await tryChangedSnapshots(snapshots, size, part));
    const found = await tryDamagedTries(TRIES_EACH, part);
    console.log(
      `${Math.min(done + PART, count)} of ${count}, seed ${part}; ${found} values in ${TRIES_EACH} tries`,
    );
  }
  for (const [name, total] of Object.entries(totals)) {
    console.log(`\n${name}`);
    for (const [outcome, number] of [...total].sort())
      console.log(outcome.padEnd(20), String(number).padStart(8));
  }
} finally {
  await chain.stop();
}

function add(total: Tally, part: Tally): void {
  for (const [outcome, number] of part) total.set(outcome, (total.get(outcome) ?? 0) + number);
}
