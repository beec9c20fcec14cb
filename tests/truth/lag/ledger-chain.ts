/**
 * A chain that grows and reorganises during the questions, with a separate ledger of each block that ever
 * was.
 */
import { startEmptyChain } from '@hindsight/devchain/anvil.ts';
import { loadArtifact } from '@hindsight/devchain/artifacts.ts';
import { ask } from '@hindsight/devchain/client.ts';
import { CHAIN } from '@hindsight/devchain/world.ts';
import { getAddress, getCreateAddress, toBeHex, toQuantity } from 'ethers';
import type { Random } from './random.ts';

/** A block as it was mined. */
export interface LedgerBlock {
  readonly number: number;
  readonly hash: string;
  readonly parent: LedgerBlock | undefined;
  /** By token and holder. */
  readonly balances: ReadonlyMap<string, bigint>;
  /** By owner, token and spender. */
  readonly allowances: ReadonlyMap<string, bigint>;
  /** Holders without a balance before this block; the newest events are theirs. */
  readonly newcomer: string;
}

type Changing = Pick<LedgerBlock, 'newcomer'> & {
  readonly balances: Map<string, bigint>;
  readonly allowances: Map<string, bigint>;
};

const MAKER = getAddress('0x00000000000000000000000000000000000a11ce');
const SPENDERS = [1, 2, 3].map((n) => getAddress(toBeHex(0x5e11e7n * 256n + BigInt(n), 20)));
const TOKENS = 3;
/** Blocks by which a reorganisation may go back. */
const DEEPEST = 3;
const GAS = toQuantity(3_000_000);
const { interface: abi, bytecode } = loadArtifact('StandardToken');

/** The chain and its ledger. */
export class LedgerChain {
  readonly url: string;
  readonly tokens: readonly string[];
  readonly #random: Random;
  readonly #stop: () => Promise<void>;
  readonly #byHash = new Map<string, LedgerBlock>();
  /** Of the newest blocks: the chain as it was before each. */
  readonly #snapshots: string[] = [];
  #head: LedgerBlock | undefined;
  #people = 0;

  private constructor(url: string, random: Random, stop: () => Promise<void>) {
    this.url = url;
    this.#random = random;
    this.#stop = stop;
    this.tokens = Array.from({ length: TOKENS }, (_, nonce) => getCreateAddress({ from: MAKER, nonce }));
  }

  /** Starts it with enough blocks that the oldest are final. */
  static async start(random: Random): Promise<LedgerChain> {
    const { url, stop } = await startEmptyChain();
    await ask(url, 'anvil_setLoggingEnabled', false);
    const chain = new LedgerChain(url, random, stop);
    for (const [i] of chain.tokens.entries())
      await chain.#send(MAKER, { data: bytecode + abi.encodeDeploy([`Token ${i}`, `T${i}`]).slice(2) });
    for (let block = 0; block < 90; block++) await chain.grow();
    return chain;
  }

  stop(): Promise<void> {
    return this.#stop();
  }

  /** The newest block. */
  get head(): LedgerBlock {
    if (this.#head === undefined) throw new Error('the chain is empty');
    return this.#head;
  }

  /** The canonical block at a height. */
  at(number: number): LedgerBlock {
    let block: LedgerBlock | undefined = this.head;
    while (block && block.number > number) block = block.parent;
    if (block?.number !== number) throw new Error(`there is no block ${number}`);
    return block;
  }

  /** Any block that was ever mined. */
  byHash(hash: string): LedgerBlock | undefined {
    return this.#byHash.get(hash);
  }

  /** Mines a block with a newcomer's first events, and one of an older holder. */
  async grow(): Promise<void> {
    this.#snapshots.push((await ask(this.url, 'evm_snapshot')) as string);
    if (this.#snapshots.length > DEEPEST) this.#snapshots.shift();
    const parent = this.#head;
    const block: Changing = {
      newcomer: getAddress(toBeHex(0xabcd0000n + BigInt(++this.#people), 20)),
      balances: new Map(parent?.balances),
      allowances: new Map(parent?.allowances),
    };
    await this.#mint(block, block.newcomer);
    await this.#approve(block, block.newcomer);
    if (parent && this.#random.below(2) === 0) await this.#transfer(block, parent.newcomer);
    const time = toQuantity(CHAIN.storyTime + 12 * (this.#people + 1));
    await ask(this.url, 'evm_mine', { timestamp: Number(time) });
    const mined = (await ask(this.url, 'eth_getBlockByNumber', 'latest', false)) as Record<
      'number' | 'hash',
      string
    >;
    this.#head = { ...block, number: Number(mined.number), hash: mined.hash, parent };
    this.#byHash.set(mined.hash, this.#head);
  }

  /** Replaces some of the newest blocks by others, and one more. */
  async reorganise(): Promise<void> {
    const depth = 1 + this.#random.below(this.#snapshots.length);
    const [snapshot] = this.#snapshots.splice(-depth);
    await ask(this.url, 'evm_revert', snapshot);
    for (let i = 0; i < depth; i++) this.#head = this.#head?.parent;
    for (let i = 0; i <= depth; i++) await this.grow();
  }

  async #mint(block: Changing, to: string): Promise<void> {
    const token = this.#random.of(this.tokens);
    const amount = BigInt(1 + this.#random.below(1_000));
    add(block.balances, `${token} ${to}`, amount);
    await this.#send(MAKER, { to: token, data: abi.encodeFunctionData('mint', [to, amount]) });
  }

  async #approve(block: Changing, owner: string): Promise<void> {
    const [token, spender] = [this.#random.of(this.tokens), this.#random.of(SPENDERS)];
    const amount = BigInt(1 + this.#random.below(1_000));
    block.allowances.set(`${owner} ${token} ${spender}`, amount);
    await this.#send(owner, { to: token, data: abi.encodeFunctionData('approve', [spender, amount]) });
  }

  async #transfer(block: Changing, from: string): Promise<void> {
    for (const token of this.tokens) {
      const amount = block.balances.get(`${token} ${from}`) ?? 0n;
      if (amount === 0n) continue;
      add(block.balances, `${token} ${from}`, -amount);
      add(block.balances, `${token} ${block.newcomer}`, amount);
      await this.#send(from, {
        to: token,
        data: abi.encodeFunctionData('transfer', [block.newcomer, amount]),
      });
    }
  }

  async #send(from: string, transaction: { to?: string; data: string }): Promise<void> {
    await ask(this.url, 'eth_sendTransaction', { from, gas: GAS, gasPrice: '0x0', ...transaction });
  }
}

function add(amounts: Map<string, bigint>, key: string, amount: bigint): void {
  amounts.set(key, (amounts.get(key) ?? 0n) + amount);
}
