/** A chain: blocks with transfers, whose newest blocks are now and then reorganised away. It knows every amount. */
import type { Block } from '@hindsight/chain/state/block.ts';
import type { Random } from '../machine/random.ts';
import { KINDS, newcomerAddress } from './newcomers.ts';

/** Addresses without letters, so that each is its own checksum. */
export const HOLDERS = ['11', '12', '13', '14', '15', '16'].map((pair) => `0x${pair.repeat(20)}`);
export const TOKENS = Array.from({ length: 12 }, (_, at) => `0x${String(20 + at).repeat(20)}`);

/** The first block: later than all changes of the network's rules. */
export const FIRST = 20_000_000;
const NO_PARENT = `0x${'0'.repeat(64)}`;
/** Blocks before the beginning of a run: more than are not final. */
const BEFORE = 100;
export const SECONDS_PER_BLOCK = 12;
/** Blocks after a final one; reorganisations are far shorter. */
export const NOT_FINAL = 64;
const BEGIN_WITH = 1_000_000n;
const MOST_TRANSFERS = 3;
/** Share of blocks in which another contract appears. */
const NEWCOMER_SHARE = 0.1;
/** It holds the amounts of newcomers, and nothing is asked about it. */
const STRANGER = `0x${'99'.repeat(20)}`;

/** A transfer of a token. */
export interface Transfer {
  readonly token: string;
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
}

/** A block, canonical or not, and the views of nodes that have it. */
export class ChainBlock implements Block {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: number;
  readonly parent: ChainBlock | undefined;
  readonly transfers: readonly Transfer[];
  /** The number of nodes that call it canonical, and the last moment at which one did. */
  canonicalNodes = 0;
  canonicalUntil = -Infinity;
  /** The number of nodes whose head it is, and the last moment at which it was one's. */
  headNodes = 0;
  headUntil = -Infinity;
  readonly #amounts: ReadonlyMap<string, bigint>;

  constructor(random: Random, parent: ChainBlock | undefined, timestamp: number) {
    this.number = parent === undefined ? FIRST : parent.number + 1;
    this.hash = `0x${random.bytes(32).toString('hex')}`;
    this.parentHash = parent?.hash ?? NO_PARENT;
    this.timestamp = timestamp;
    this.parent = parent;
    const amounts = new Map(parent?.amountsAfter);
    this.transfers = parent === undefined ? [] : someTransfers(random, amounts, this.number);
    if (parent === undefined) for (const holder of HOLDERS) amounts.set(`${holder} `, BEGIN_WITH);
    // Ether moves without a log.
    const spender = random.pick(HOLDERS);
    const left = amounts.get(`${spender} `) ?? 0n;
    amounts.set(`${spender} `, left - BigInt(random.below(Number(left) + 1)) / 10n);
    this.#amounts = amounts;
  }

  get amountsAfter(): ReadonlyMap<string, bigint> {
    return this.#amounts;
  }

  /** A balance after it. @param token its address; ether's where there is none */
  amountOf(holder: string, token = ''): bigint {
    return this.#amounts.get(`${holder} ${token}`) ?? 0n;
  }
}

/** Makes transfers, and changes the amounts. A holder without a token gets some from nowhere. */
function someTransfers(random: Random, amounts: Map<string, bigint>, block: number): Transfer[] {
  const usual = Array.from({ length: random.below(MOST_TRANSFERS + 1) }, () => {
    const [token, from, to] = [random.pick(TOKENS), random.pick(HOLDERS), random.pick(HOLDERS)];
    const before = amounts.get(`${from} ${token}`) ?? 0n;
    const isMade = before === 0n;
    // All of it now and then, so that a list has one token less.
    const amount = isMade || random.chance(0.5) ? before : BigInt(random.below(Number(before) + 1));
    const moved = isMade ? BEGIN_WITH : amount;
    if (!isMade) amounts.set(`${from} ${token}`, before - moved);
    amounts.set(`${to} ${token}`, (amounts.get(`${to} ${token}`) ?? 0n) + moved);
    return { token, from: isMade ? NO_ADDRESS : from, to, amount: moved };
  });
  if (!random.chance(NEWCOMER_SHARE)) return usual;
  const token = newcomerAddress(random.below(KINDS), block);
  return [...usual, { token, from: NO_ADDRESS, to: STRANGER, amount: BEGIN_WITH }];
}

const NO_ADDRESS = `0x${'00'.repeat(20)}`;

/** All blocks, and the branch that wins. */
export class Chain {
  readonly #random: Random;
  readonly #byHash = new Map<string, ChainBlock>();
  /** Canonical blocks, from the first on. */
  readonly #canonical: ChainBlock[] = [];

  /** @param now Unix seconds */
  constructor(random: Random, now: number) {
    this.#random = random;
    for (let left = BEFORE; left >= 0; left--) this.#add(now - left * SECONDS_PER_BLOCK);
  }

  get tip(): ChainBlock {
    return this.#canonical.at(-1)!;
  }

  find(hash: string): ChainBlock | undefined {
    return this.#byHash.get(hash);
  }

  /** The canonical block at a height, if that has been reached. */
  at(height: number): ChainBlock | undefined {
    return this.#canonical[height - FIRST];
  }

  /** True if a block is canonical, and stays so. */
  isFinal(block: ChainBlock): boolean {
    return block.number <= this.tip.number - NOT_FINAL && this.at(block.number) === block;
  }

  /** The canonical block of a moment, Unix seconds: the last one at or before it. */
  atTime(seconds: number): ChainBlock | undefined {
    return this.#canonical.findLast(({ timestamp }) => timestamp <= seconds);
  }

  /** Adds a block, and others in place of so many of the newest. @param now Unix seconds */
  grow(now: number, replaced = 0): void {
    this.#canonical.splice(this.#canonical.length - replaced);
    for (let left = replaced; left > 0; left--) this.#add(this.tip.timestamp + 1);
    this.#add(Math.max(now, this.tip.timestamp + 1));
  }

  #add(timestamp: number): void {
    const block = new ChainBlock(this.#random, this.#canonical.at(-1), timestamp);
    this.#byHash.set(block.hash, block);
    this.#canonical.push(block);
  }
}
