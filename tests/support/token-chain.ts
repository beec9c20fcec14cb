/**
 * A chain of token contracts of every kind, well-behaved or not; the test that makes them knows each one's
 * kind.
 */
import { startEmptyChain } from '@hindsight/devchain/anvil.ts';
import { loadArtifact } from '@hindsight/devchain/artifacts.ts';
import { ask, askAll, resultOf, type Question } from '@hindsight/devchain/client.ts';
import { CHAIN } from '@hindsight/devchain/world.ts';
import { getAddress, getCreateAddress, toQuantity } from 'ethers';
import { firstTokenEvents, inListOrder } from './first-token-events.ts';
import { emitting, KINDS, NO_TOKEN, type ContractMaker, type KnownContract } from './token-kinds.ts';

/** An entry of the list, as the test expects it. */
export interface ExpectedToken {
  readonly token_address: string;
  readonly block_height: number;
  readonly token_type: string;
  readonly name: string;
  readonly symbol: string;
}

const MAKER = '0x00000000000000000000000000000000000a11ce';
const RECEIVER = '0x000000000000000000000000000000000000beef';
const GAS = toQuantity(8_000_000);

/** A chain under construction; every change waits in the next block. */
export class TokenChain implements ContractMaker {
  readonly url: string;
  readonly first = CHAIN.story;
  readonly #stop: () => Promise<void>;
  readonly #known = new Map<string, KnownContract>();
  readonly #vanishing: string[] = [];
  #pending: Question[] = [];
  #nonce = 0;
  #made = 0;

  private constructor(url: string, stop: () => Promise<void>) {
    this.url = url;
    this.#stop = stop;
  }

  /** Starts an empty chain. */
  static async start(): Promise<TokenChain> {
    const { url, stop } = await startEmptyChain();
    await ask(url, 'anvil_setLoggingEnabled', false);
    await ask(url, 'anvil_setBlockTimestampInterval', 12);
    return new TokenChain(url, stop);
  }

  /**
   * Starts one with a contract in each of the first blocks, all kinds in turn, and as many empty blocks again; all
   * finalized. Logs that a node leaves out are noticed at the ends of a range, so no block among the first is empty.
   */
  static async startWithEveryKind(): Promise<TokenChain> {
    const chain = await TokenChain.start();
    await chain.grow(40, 1);
    await chain.mine(40);
    await chain.vanish();
    await chain.finalize();
    return chain;
  }

  stop(): Promise<void> {
    return this.#stop();
  }

  /** Number of contracts made. */
  get contracts(): number {
    return this.#known.size;
  }

  /** Makes a number of blocks with a number of contracts each, and a transfer of older ones. */
  async grow(blocks: number, contractsEach: number): Promise<void> {
    for (let block = 0; block < blocks; block++) {
      for (let i = 0; i < contractsEach; i++, this.#made++) {
        await KINDS[this.#made % KINDS.length]!(this, this.#made);
      }
      await this.mine();
    }
  }

  /** Makes one block of the pending changes, and empty ones up to a number of blocks. */
  async mine(blocks = 1): Promise<void> {
    // In whatever order the node takes them: their nonces are their order.
    for (const answer of await askAll(this.url, this.#pending)) resultOf(answer);
    this.#pending = [];
    await ask(this.url, 'anvil_mine', toQuantity(blocks));
  }

  /** Makes blocks until all that was made is finalized. */
  finalize(): Promise<void> {
    return this.mine(70);
  }

  /** Takes the code of contracts away that were made to vanish, as a self-destruction did before Cancun. */
  async vanish(): Promise<void> {
    // Changed code counts for the newest block already if some were made just now.
    await this.mine();
    for (const address of this.#vanishing) await ask(this.url, 'anvil_setCode', address, '0x');
    await this.mine();
  }

  /** Remembers the chain's present state; the returned function restores it, for another course of events. */
  async snapshot(): Promise<() => Promise<void>> {
    const [nonce, made] = [this.#nonce, this.#made];
    const id = await ask(this.url, 'evm_snapshot');
    return async () => {
      await ask(this.url, 'evm_revert', id);
      [this.#nonce, this.#made] = [nonce, made];
    };
  }

  /** The last finalized block. */
  async finalized(): Promise<number> {
    const block = (await ask(this.url, 'eth_getBlockByNumber', 'finalized', false)) as {
      number: string;
    } | null;
    return block === null ? -1 : Number(block.number);
  }

  /** The list as it must be up to a block, from the chain's raw logs and each contract's kind. */
  async expected(upTo: number): Promise<ExpectedToken[]> {
    const firstSeen = await firstTokenEvents(this.url, this.first, upTo);
    const tokens = [...firstSeen].flatMap(([address, block]) => {
      const known = this.#known.get(address.toLowerCase());
      if (known === undefined) throw new Error(`${address} was not made here`);
      const { type, name, symbol } = known;
      if (type === null) return [];
      return [{ token_address: getAddress(address), block_height: block, token_type: type, name, symbol }];
    });
    return tokens.sort(inListOrder);
  }

  /** The hashes of all blocks, to check whether the chain has changed. */
  async hashes(heights: readonly number[]): Promise<string[]> {
    const answers = await askAll(
      this.url,
      heights.map((height): Question => ['eth_getBlockByNumber', toQuantity(height), false]),
    );
    return answers.map(({ result }) => (result as { hash: string }).hash);
  }

  async erc20(name: string, symbol: string, shown: { name?: string; symbol?: string } = {}): Promise<void> {
    const { interface: abi, bytecode } = loadArtifact('StandardToken');
    const data = bytecode + abi.encodeDeploy([name, symbol]).slice(2);
    const address = this.#create(data, { type: 'erc20', name, symbol, decimals: 18, ...shown });
    this.#send(address, abi.encodeFunctionData('mint', [RECEIVER, 5]));
  }

  async vanishing(name: string, symbol: string): Promise<void> {
    await this.erc20(name, symbol);
    this.#vanishing.push([...this.#known.keys()].at(-1)!);
  }

  async mintable(contract: string, known: KnownContract): Promise<void> {
    const { interface: abi, bytecode } = loadArtifact(contract);
    const address = this.#create(bytecode, known);
    const args = { ApeToken: [RECEIVER, 7], ItemToken: [MAKER, 7, 1] }[contract] ?? [RECEIVER, 7];
    this.#send(address, abi.encodeFunctionData('mint', args));
  }

  async proxied(): Promise<void> {
    const implementation = loadArtifact('UsdcV2');
    const proxy = loadArtifact('Proxy');
    const target = this.#create(implementation.bytecode, NO_TOKEN);
    const known: KnownContract = { type: 'erc20', name: 'USD Coin', symbol: 'USDC', decimals: 6 };
    const address = this.#create(proxy.bytecode, known);
    this.#upgrade(address, target);
    this.#send(address, implementation.interface.encodeFunctionData('mint', [RECEIVER, 9]));
  }

  /**
   * A token behind a proxy whose `name()` reverts until `name` gives it another implementation. Returns its
   * address.
   */
  async nameless(): Promise<string> {
    const token = loadArtifact('NamelessToken');
    const target = this.#create(token.bytecode, NO_TOKEN);
    const known: KnownContract = { type: 'erc20', name: 'USD Coin', symbol: 'USDC', decimals: 18 };
    const address = this.#create(loadArtifact('Proxy').bytecode, known);
    this.#upgrade(address, target);
    this.#send(address, token.interface.encodeFunctionData('mint', [RECEIVER, 9]));
    return address;
  }

  async name(proxy: string): Promise<void> {
    this.#upgrade(proxy, this.#create(loadArtifact('UsdcV2').bytecode, NO_TOKEN));
  }

  #upgrade(proxy: string, target: string): void {
    this.#send(proxy, loadArtifact('Proxy').interface.encodeFunctionData('upgradeTo', [target]));
  }

  async emitter(runtime: string | null, known: KnownContract): Promise<void> {
    this.#create(emitting(runtime), known);
  }

  #create(data: string, known: KnownContract): string {
    const address = getCreateAddress({ from: MAKER, nonce: this.#nonce });
    this.#queue({ data });
    this.#known.set(address.toLowerCase(), known);
    return address;
  }

  #send(to: string, data: string): void {
    this.#queue({ to, data });
  }

  #queue(transaction: { to?: string; data: string }): void {
    const nonce = toQuantity(this.#nonce++);
    this.#pending.push([
      'eth_sendTransaction',
      { from: MAKER, nonce, gas: GAS, gasPrice: '0x0', ...transaction },
    ]);
  }
}
