/** Answers that are changed at random, compared with the ledger of the dev chain and another implementation. */
import { createMerkleProof, MerklePatriciaTrie, verifyMerkleProof } from '@ethereumjs/mpt';
import { verify, type Verified } from '@hindsight/client/verify';
import { Dice } from '@hindsight/devchain/dice.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { getBytes, id, keccak256 } from 'ethers';
import { inspect } from 'node:util';
import { readProven } from '../../clients/typescript/src/verify/trie.ts';
import {
  proveAllowance,
  proveBalance,
  proveEther,
  proveShares,
  proveSupply,
  type WireAnswer,
} from '../support/proven-answers.ts';

/** The block of all answers. */
export const BLOCK = 17_999_900;
const UNI = TOKENS.uni.address;
/** Changes to one answer or snapshot. */
export const MOST_CHANGES = 3;
/** Processor time that one may take; a changed answer takes about a millisecond. */
const MAX_CPU_MS = 2_000;
/** Values in place of any other. */
const ODD: readonly unknown[] = [
  ...[null, true, 0, -1, 1.5, NaN, 2 ** 60, 1n, -1n, 2n ** 300n, '', '0', '0x', '0x0', 'text'],
  ...[
    `0x${'0'.repeat(64)}`,
    `0x${'f'.repeat(64)}`,
    '9'.repeat(78),
    'x'.repeat(10_000),
    [],
    [[]],
    {},
    { proof: {} },
  ],
];

/** Results by their reasons; `verified` among them. */
export type Tally = Map<string, number>;

/** Real answers about one block, and the supply at it, which the ledger does not have. */
export interface Originals {
  readonly answers: readonly WireAnswer[];
  readonly supply: bigint;
}

/** Asks a dev chain for answers of each kind. */
export async function readOriginals(url: string): Promise<Originals> {
  const at = { url, block: BLOCK };
  const { alice, bob, market } = HOLDERS;
  const supply = await proveSupply(at, UNI);
  const answers = [
    supply,
    await proveBalance(at, UNI, alice),
    await proveBalance(at, UNI, bob),
    await proveBalance(at, TOKENS.usdc.address, alice),
    await proveAllowance(at, UNI, [alice, market]),
    // Of shares: no change makes it an answer about a balance.
    await proveShares(at, TOKENS.steth.address, bob),
    await proveEther(at, alice),
    await proveEther(at, bob),
  ];
  return { answers, supply: BigInt(supply.total_supply as string) };
}

/**
 * Verifies answers with up to three changes each.
 * @throws {Error} with the answer, where a wrong one is verified, or one takes long; whatever verify throws
 */
export async function tryChangedAnswers(
  { answers, supply }: Originals,
  count: number,
  seed: number,
): Promise<Tally> {
  const dice = new Dice(seed);
  const tally: Tally = new Map();
  const { ledger } = buildPlan();
  const truth = ({ kind, token, accounts: [first = '', second = ''] }: Verified): bigint => {
    if (kind === 'native') return ledger.nativeAt(first, BLOCK);
    if (kind === 'supply') return token === UNI.toLowerCase() ? supply : -1n;
    if (kind === 'balance') return ledger.balanceAt(token!, first, BLOCK);
    return ledger.allowanceAt(token!, first, second, BLOCK);
  };
  for (let i = 0; i < count; i++) {
    const answer = structuredClone(dice.pick(answers));
    for (let changes = dice.roll(MOST_CHANGES) + 1; changes > 0; changes--)
      change(answer, dice.pick(answers), dice);
    const wrong = (what: string): Error =>
      new Error(`case ${i} of seed ${seed}: ${what}: ${inspect(answer, { depth: 9 })}`);
    const result = await withinTime(wrong, () => verify(answer, { blockHash: answers[0]!.block_hash }));
    if (result.verified && result.amount !== truth(result)) throw wrong('it is wrong and was verified');
    const outcome = result.verified ? 'verified' : result.reason;
    tally.set(outcome, (tally.get(outcome) ?? 0) + 1);
  }
  return tally;
}

/** Runs a check. @throws {Error} if it takes longer than any input may */
export async function withinTime<T>(
  tooSlow: (what: string) => Error,
  check: () => T | Promise<T>,
): Promise<T> {
  const before = process.cpuUsage();
  const result = await check();
  const { user, system } = process.cpuUsage(before);
  if (user + system > MAX_CPU_MS * 1_000) throw tooSlow('it took too long');
  return result;
}

/** Changes something somewhere in a value, or takes it from the same place of another. */
export function change(value: unknown, other: unknown, dice: Dice): void {
  let [here, there] = [value as Record<string, unknown>, other as Record<string, unknown> | undefined];
  for (;;) {
    const keys = Object.keys(here);
    if (keys.length === 0) return;
    // Most changes are of the proof, which is most of what is read.
    const key = 'proof' in here && dice.roll(3) > 0 ? 'proof' : dice.pick(keys);
    const inner = here[key];
    const isOpen = typeof inner === 'object' && inner !== null;
    if (!isOpen || dice.roll(8) === 0) return changeField(here, key, { other: there?.[key], dice });
    [here, there] = [inner as Record<string, unknown>, there?.[key] as typeof there];
  }
}

function changeField(
  holder: Record<string, unknown>,
  key: string,
  { other, dice }: { readonly other: unknown; readonly dice: Dice },
): void {
  const value = holder[key];
  const act = dice.roll(20);
  if (act === 0) delete holder[key];
  else if (act === 1) holder[key] = dice.pick(ODD);
  else if (act <= 3) holder[key] = structuredClone(other);
  else if (Array.isArray(value)) holder[key] = shuffled(value as unknown[], dice);
  else if (typeof value === 'string') holder[key] = misspelt(value, dice);
  else holder[key] = typeof value === 'number' ? value + dice.roll(3) - 1 : dice.pick(ODD);
}

function shuffled(entries: readonly unknown[], dice: Dice): unknown[] {
  const [from, to] = [dice.roll(entries.length || 1), dice.roll(entries.length || 1)];
  const changed = [...entries];
  // Takes an entry out; puts it elsewhere, or in both places, or nowhere.
  const [taken] = changed.splice(from, 1);
  const act = dice.roll(3);
  if (act > 0) changed.splice(to, 0, taken);
  if (act > 1) changed.push(taken);
  return changed;
}

function misspelt(text: string, dice: Dice): string {
  const at = dice.roll(text.length || 1);
  const length = dice.roll(3);
  return (
    text.slice(0, at) +
    '0123456789abcdef'.charAt(dice.roll(16)).repeat(dice.roll(3)) +
    text.slice(at + length)
  );
}

/**
 * Reads keys in tries whose root is a damaged node, as a hostile chain could have it: a value that is found must be the one
 * that another implementation finds, unless that refuses the trie.
 * @returns the number of values that were found
 */
export async function tryDamagedTries(count: number, seed: number): Promise<number> {
  const dice = new Dice(seed);
  let found = 0;
  for (let i = 0; i < count; i++) {
    const trie = new MerklePatriciaTrie();
    const keys = Array.from({ length: 1 + dice.roll(20) }, (_, at) => getBytes(id(`${seed} ${i} ${at}`)));
    for (const key of keys) await trie.put(key, key.subarray(0, 1 + dice.roll(32)));
    const key = dice.pick(keys);
    const [top, ...below] = await createMerkleProof(trie, key);
    const isDamaged = dice.roll(3) > 0;
    const changed = top!.slice();
    if (isDamaged) changed[dice.roll(changed.length)]! ^= 1 << dice.roll(8);
    const nodes = [changed, ...below];
    const root = getBytes(keccak256(changed));
    const ours = await orNothing(() => readProven(root, key, { name: 'a proof', nodes }));
    if (ours === null || ours === undefined) continue;
    const theirs = await orNothing(() => verifyMerkleProof(key, nodes, { root }));
    // It reads the node's other branches too, and refuses it for damage there.
    if (theirs === undefined && isDamaged) continue;
    if (theirs === undefined || theirs === null || !Buffer.from(ours).equals(theirs))
      throw new Error(`case ${i} of seed ${seed}: another implementation does not find this value`);
    found += 1;
  }
  return found;
}

/** Undefined where it is refused. */
async function orNothing<T>(read: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch {
    return undefined;
  }
}
