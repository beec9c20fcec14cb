/** Claims about the plan, turned into questions at one node's heights. */
import { ask, askAll, blockTag } from '@hindsight/devchain/client.ts';
import type { Ledger } from '@hindsight/devchain/ledger.ts';
import { HOLDERS } from '@hindsight/devchain/world.ts';
import type { Claim } from './claims.ts';
import type { SeededNode } from './nodes.ts';
import { bookedAmount, type Subject } from './subject.ts';

/** A block as the node reports it. */
export interface Header {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  /** Unix seconds. */
  readonly timestamp: number;
}

/** A node's chain, read once: it does not grow during the questions. */
export interface Chain {
  readonly headers: ReadonlyMap<number, Header>;
  readonly first: number;
  readonly head: number;
  /** The last finalized height; -1 if there is none. */
  readonly finalized: number;
}

/** A question at a height. */
export interface Inquiry extends Partial<Pick<Claim, 'name' | 'absent'>> {
  readonly subject: Subject;
  readonly height: number;
  /** The parameters that name the block. */
  readonly when: Readonly<Record<string, string>>;
  /** The plan's entry of the amount; undefined between its blocks. */
  readonly booked?: { readonly block: number; readonly amount: bigint };
}

/** Reads all headers of a node's chain. */
export async function readChain(url: string, first: number): Promise<Chain> {
  const head = Number(await ask(url, 'eth_blockNumber'));
  const numbers = Array.from({ length: head - first + 1 }, (_, i) => first + i);
  const answers = await askAll(
    url,
    numbers.map((number) => ['eth_getBlockByNumber', blockTag(number), false]),
  );
  const finalized = (await ask(url, 'eth_getBlockByNumber', 'finalized', false)) as { number: string } | null;
  const headers = answers.map(({ result }, i) => {
    const { number, hash, parentHash, timestamp } = result as Record<keyof Header, string>;
    if (Number(number) !== numbers[i]) throw new Error(`block ${numbers[i]} says that it is ${number}`);
    return { number: Number(number), hash, parentHash, timestamp: Number(timestamp) };
  });
  return {
    headers: new Map(headers.map((header) => [header.number, header])),
    first,
    head,
    finalized: finalized === null ? -1 : Number(finalized.number),
  };
}

/** The claims as questions to a node. */
export function inquire(
  node: SeededNode,
  chain: Chain,
  ledger: Ledger,
  claims: readonly Claim[],
): readonly Inquiry[] {
  return claims.map(({ subject, block, by, name, absent }, i) => {
    // Blocks without transactions may follow the plan's last one.
    const height = by === 'latest' ? chain.head : node.heightOf(block);
    const absence = absent === undefined ? {} : { absent };
    const booked = isThere(absent)
      ? { booked: { block, amount: bookedAmount(ledger, subject, block) + extraOf(node, subject, block) } }
      : {};
    const named = name === undefined ? {} : { name };
    return { subject, height, when: whenOf(chain, height, by, i % 2 === 0), ...booked, ...named, ...absence };
  });
}

function isThere(absent: Claim['absent']): boolean {
  return absent === undefined || absent === 'allowance';
}

function extraOf(node: SeededNode, subject: Subject, block: number): bigint {
  return subject.kind === 'native' ? node.extraWei(subject.holder, block) : 0n;
}

/** Heights on each side of a border at which a question is asked. */
const NEAR = 3;

/**
 * One question at each of many heights, between the plan's blocks too, where only the node's storage knows the amount.
 * @param step blocks from one height to the next; every height is asked near the ends of the chain and the borders
 */
export function sweep(
  { first, head, finalized, headers }: Chain,
  { step = 1, borders = [] }: { readonly step?: number; readonly borders?: readonly number[] } = {},
): readonly Inquiry[] {
  const holders = Object.values(HOLDERS);
  const edges = [first, head, finalized, ...borders];
  const heights = [...headers.keys()].filter(
    (height) => (height - first) % step === 0 || edges.some((edge) => Math.abs(height - edge) <= NEAR),
  );
  return heights.map((height, i) => {
    const holder = holders[i % holders.length]!;
    const subject: Subject =
      i % 2 === 0 || height === 0 ? { kind: 'native', holder } : { kind: 'balance', token: 'mkr', holder };
    const { hash } = headers.get(height)!;
    const when = i % 3 === 0 ? { block_hash: hash } : { block_height: String(height) };
    return { subject, height, when };
  });
}

function whenOf(
  chain: Chain,
  height: number,
  by: Claim['by'],
  late: boolean,
): Readonly<Record<string, string>> {
  if (by === 'latest') return {};
  // Of several blocks in one second a date names the last.
  const isLast = chain.headers.get(height)?.timestamp !== chain.headers.get(height + 1)?.timestamp;
  if (by === 'height' || !isLast) return { block_height: String(height) };
  const seconds = secondsIn(chain, height, late);
  return { date: new Date(seconds * 1_000).toISOString() };
}

/** The first or the last second of which a linear scan over all blocks says that they mean this one. */
function secondsIn({ headers }: Chain, height: number, late: boolean): number {
  const own = headers.get(height)?.timestamp;
  if (own === undefined) throw new RangeError(`there is no block ${height}`);
  const next = headers.get(height + 1)?.timestamp;
  const seconds = late && next !== undefined ? next - 1 : own;
  let meant = -1;
  for (const { number, timestamp } of headers.values())
    if (timestamp <= seconds) meant = Math.max(meant, number);
  if (meant !== height) throw new Error(`no second means block ${height}: ${seconds} s is block ${meant}`);
  return seconds;
}
