/**
 * `npm run truth:logs`: portfolios, lists of allowances and changes over nodes that lag, refuse and
 * reorganise, against a separate ledger. ANSWERS (10,000) and SEED (1) may be set. Ends with 1 if a short
 * list called itself complete, an answer was wrong, or a moment of trouble was felt for more than a minute.
 */
import { FLEETS } from './fleets.ts';
import { LedgerChain } from './ledger-chain.ts';
import type { Verdict } from './questions.ts';
import { Random } from './random.ts';
import { recoverFrom, TROUBLES } from './recovery.ts';
import { tryFleet } from './trial.ts';

const { ANSWERS = '10000', SEED = '1' } = process.env;
const VERDICTS: readonly Verdict[] = ['right', 'partial', 'refused', 'short', 'wrong'];
const LONGEST_S = 60;

const row = (cells: readonly (string | number)[]): string =>
  cells.map((cell, at) => (at === 0 ? String(cell).padEnd(44) : String(cell).padStart(9))).join('');

console.log(row([`seed ${SEED}`, ...VERDICTS]));
let faults = 0;
let all = 0;
for (const [at, fleet] of FLEETS.entries()) {
  const random = new Random(Number(SEED) * 1_000 + at);
  const chain = await LedgerChain.start(random);
  try {
    const answers = Math.ceil(Number(ANSWERS) / FLEETS.length);
    const trial = await tryFleet(fleet, chain, { answers, random });
    console.log(row([fleet.name, ...VERDICTS.map((verdict) => trial.count[verdict])]));
    for (const fault of trial.faults) console.log(`  ${fault}`);
    faults += trial.count.short + trial.count.wrong;
    all += answers;
  } finally {
    await chain.stop();
  }
}
console.log(`\n${all} answers, ${faults} of them short or wrong\n`);

const chain = await LedgerChain.start(new Random(Number(SEED)));
try {
  for (const trouble of TROUBLES) {
    const seconds = await recoverFrom(trouble, chain);
    console.log(row([trouble, seconds === Infinity ? 'over 120 s' : `${seconds} s`]));
    if (seconds > LONGEST_S) faults += 1;
  }
} finally {
  await chain.stop();
}
process.exitCode = faults === 0 ? 0 : 1;
