/** Proven snapshots that are changed at random, compared with the ledger of the dev chain. */
import type { Verified } from '@hindsight/client/verify';
import { verifySnapshot } from '@hindsight/client/verify-snapshot';
import { Dice } from '@hindsight/devchain/dice.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { HOLDERS, TOKENS, UNUSED_ADDRESS } from '@hindsight/devchain/world.ts';
import { inspect } from 'node:util';
import { proveBalance, proveEther, type WireAnswer } from '../support/proven-answers.ts';
import { BLOCK, change, MOST_CHANGES, withinTime, type Tally } from './verify-fuzz.ts';

const UNI = TOKENS.uni.address;
const USDC = TOKENS.usdc.address;
/** The first shows the mapping, which a zero needs; the last is not zero, so that the sum does not fit without it. */
const { alice, bob, carol } = HOLDERS;
const ROWS = [alice, UNUSED_ADDRESS, bob, carol];
const ROWS_PER_WINDOW = 2;

/** A record as JSON gives it. */
type Wire = Record<string, unknown>;
/** Real snapshots of one block: of two tokens and of ether. */
export interface Snapshots {
  readonly blockHash: string;
  /** The records of each, as the service sends them. */
  readonly all: readonly (readonly Wire[])[];
}

/** Asks a dev chain for proofs, and composes snapshots of them. */
export async function readSnapshots(url: string): Promise<Snapshots> {
  const at = { url, block: BLOCK };
  const all: Wire[][] = [];
  for (const token of [UNI, USDC, null]) {
    const answers: WireAnswer[] = [];
    for (const holder of ROWS)
      answers.push(await (token === null ? proveEther(at, holder) : proveBalance(at, token, holder)));
    all.push(compose(token, answers));
  }
  return { blockHash: String(all[0]![0]!.block_hash), all };
}

/** The records of a snapshot of these answers, as the service sends them. */
export function compose(token: string | null, answers: readonly WireAnswer[]): Wire[] {
  const [{ checked_at_block, checked_at_date, block_hash, proof }] = answers as [WireAnswer];
  const { header_rlp, account_proof, claim } = proof;
  const isEther = token === null;
  const facts = {
    tokens: [{ token_address: token ?? 'native' }],
    checked_at_block,
    checked_at_date,
    block_hash,
  };
  const shared = { header_rlp, account_proof: isEther ? [] : account_proof, claim };
  const records: Wire[] = [{ record: 'facts', ...facts, proof: shared }];
  for (let from = 0; from < answers.length; from += ROWS_PER_WINDOW) {
    const window = answers.slice(from, from + ROWS_PER_WINDOW);
    const paths = window.map(({ proof }) => (isEther ? proof.account_proof : proof.storage[0]!.proof));
    const nodes = [...new Set(paths.flat())];
    records.push({ record: 'nodes', nodes });
    for (const [i, { holder, balance, proof }] of window.entries()) {
      const path = paths[i]!.map((node) => nodes.indexOf(node));
      const own = isEther ? { nodes: path } : { key: proof.storage[0]!.key, nodes: path };
      records.push({ record: 'balance', line: from + i + 1, holder, balance, proof: own });
    }
  }
  const sum = answers.reduce((sum, { balance }) => sum + BigInt(balance as string), 0n);
  return [...records, { record: 'end', holders: answers.length, sum: `${sum}` }];
}

/**
 * Verifies snapshots with up to three changes each.
 * @throws {Error} with the records, where a wrong row or a wrong snapshot is verified, or one takes long; whatever verifySnapshot
 *   throws
 */
export async function tryChangedSnapshots(
  { all, blockHash }: Snapshots,
  count: number,
  seed: number,
): Promise<Tally> {
  const dice = new Dice(seed);
  const tally: Tally = new Map();
  const { ledger } = buildPlan();
  // A proof of zero may be true of another holder too.
  const isTrue = ({ token, accounts: [holder = ''], amount }: Verified): boolean =>
    amount === (token === null ? ledger.nativeAt(holder, BLOCK) : ledger.balanceAt(token, holder, BLOCK));
  for (let i = 0; i < count; i++) {
    const changed = structuredClone(dice.pick(all)) as Wire[];
    for (let changes = dice.roll(MOST_CHANGES + 1); changes > 0; changes--)
      changeRecords(changed, dice.pick(all), dice);
    const found: Verified[] = [];
    const wrong = (what: string): Error =>
      new Error(`case ${i} of seed ${seed}: ${what}: ${inspect(changed, { depth: 9 })}`);
    const verdict = await withinTime(wrong, () =>
      verifySnapshot(changed, {
        blockHash,
        onRow: ({ result }) => {
          if (result.verified) found.push(result);
        },
      }),
    );
    const { verified, refusal, verifiedRows, sum } = verdict;
    if (!found.every(isTrue)) throw wrong('a row is wrong and was verified');
    if (sum !== found.reduce((total, { amount }) => total + amount, 0n) || verifiedRows !== found.length)
      throw wrong('its sum is not that of its rows');
    // Facts begin a further part, which may have rows of the one before again.
    const parts = changed.filter(({ record }) => record === 'facts').length;
    if (verified && parts === 1 && found.length !== ROWS.length)
      throw wrong('it has other rows and was verified');
    const outcome = refusal?.reason ?? 'verified';
    tally.set(outcome, (tally.get(outcome) ?? 0) + 1);
  }
  return tally;
}

/** Leaves a record out, doubles or swaps it, takes another's in its place, or changes something in it. */
function changeRecords(records: Wire[], others: readonly Wire[], dice: Dice): void {
  const at = dice.roll(records.length || 1);
  const to = dice.roll(records.length || 1);
  const record = records[at];
  if (record === undefined) return;
  const act = dice.roll(16);
  if (act === 0) records.splice(at, 1);
  else if (act === 1) records.splice(to, 0, structuredClone(record));
  else if (act === 2) [records[at], records[to]] = [records[to]!, record];
  else if (act === 3) records[at] = structuredClone(others[at] ?? record);
  else if (act === 4 && Array.isArray(record.nodes)) flipBit(record.nodes as unknown[], dice);
  else change(record, others[at], dice);
}

function flipBit(nodes: unknown[], dice: Dice): void {
  const at = dice.roll(nodes.length || 1);
  const node = nodes[at];
  if (typeof node !== 'string' || node.length < 3) return;
  const digit = 2 + dice.roll(node.length - 2);
  const flipped = (parseInt(node.charAt(digit), 16) ^ (1 << dice.roll(4))).toString(16);
  nodes[at] = node.slice(0, digit) + flipped + node.slice(digit + 1);
}
