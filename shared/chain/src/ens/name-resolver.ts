/** Resolves ENS names at any height. */
import { LRUCache } from 'lru-cache';
import type { Block, BlockQuery } from '../state/block.ts';
import type { Network } from '../networks.ts';
import type { CallResult } from '../state/multicall/multicall.ts';
import type { ChainReader, Reading } from '../state/reader.ts';
import { parseName, type EnsName } from './name.ts';
import { askAlone, followReferral, isReferral, OffchainName, type CcipGateways } from './ccip/offchain.ts';
import { earlyNameItem, inCharge, nameItems, readAddress, readAnswer, type Charge } from './questions.ts';

/** A name's address, and its block. */
export interface ResolvedName {
  readonly block: Block;
  /** True if the block is finalized, as far as the node has reported. */
  readonly finalized: boolean;
  /** EIP-55; null where the name pointed nowhere. */
  readonly address: string | null;
  /** The name as it was resolved (ENSIP-15). */
  readonly name: string;
  /** True if a gateway answered: its answer may change, even at a fixed block, so no cache may keep it. */
  readonly offchain: boolean;
}

interface NameResolverDeps {
  readonly reader: ChainReader;
  readonly network: Network;
  /** Answers for names that are kept off-chain (CCIP-read); without it those are refused. */
  readonly gateways?: CcipGateways;
}

/** The network has no names. The message is fit for the caller. */
export class NoNames extends Error {
  override readonly name = 'NoNames';

  constructor({ name }: Network) {
    super(`${name} has no names here, since there is no ENS registry on it; expected an address`);
  }
}

type Found = Pick<ResolvedName, 'address' | 'offchain'>;

const REMEMBERED_NAMES = 100_000;

/** Resolves names on one network. */
export class NameResolver {
  readonly #reader: ChainReader;
  readonly #network: Network;
  readonly #gateways: CcipGateways | undefined;
  /** Answers of the chain alone, by block and name. Those of gateways may change, so they are not kept. */
  readonly #addresses = new LRUCache<string, { readonly address: string | null }>({
    maxSize: REMEMBERED_NAMES,
    sizeCalculation: () => 1,
  });

  constructor({ reader, network, gateways }: NameResolverDeps) {
    this.#reader = reader;
    this.#network = network;
    this.#gateways = gateways;
  }

  /**
   * Resolves a name in the state after the block: the newest, the one at a height, or one that is known
   * already.
   * @param signal abandons the question
   * @throws {UnusableName} for text that is no name
   * @throws {NoNames} when the network has none
   * @throws {OffchainName} when its gateways are not permitted
   * @throws {GatewayError} when its gateways give no usable answer
   * @throws {AboveHead} when the chain has not reached that height
   * @throws {NodeError} when no node answers, or none has the state of that block
   */
  async resolve(given: string, at: BlockQuery | Block, signal?: AbortSignal): Promise<ResolvedName> {
    const registries = this.#network.ensRegistries;
    if (registries === undefined) throw new NoNames(this.#network);
    const name = parseName(given);
    const known = this.#reader.knownBlock(at);
    const remembered = known && this.#addresses.get(keyOf(known, name));
    if (remembered) {
      const finalized = this.#reader.isFinalized(known);
      return { block: known, finalized, name: name.text, address: remembered.address, offchain: false };
    }
    const height = typeof at === 'object' ? at.number : at;
    // Before the first registry none has any code, so no name resolves.
    const { address: registry } =
      registries.find(({ since }) => height === 'latest' || since <= height) ?? registries[0];
    if (height !== 'latest' && height < this.#network.byzantiumBlock) {
      return this.#finishEarly(name, await this.#reader.read(at, [earlyNameItem(registry, name)], signal));
    }
    return this.#finish(name, await this.#reader.read(at, nameItems(registry, name), signal), signal);
  }

  #finishEarly(name: EnsName, { block, finalized, results }: Reading): ResolvedName {
    const address = readAddress(results[0] as CallResult);
    return this.#keep(name, { block, finalized, name: name.text, address, offchain: false });
  }

  async #finish(
    name: EnsName,
    { block, finalized, results }: Reading,
    signal: AbortSignal | undefined,
  ): Promise<ResolvedName> {
    const charge = inCharge(name, results);
    const found = charge
      ? await this.#resolve(name, charge, block, signal)
      : { address: null, offchain: false };
    return this.#keep(name, { block, finalized, name: name.text, ...found });
  }

  /** A failed call may only need more gas, or more room for a referral, than a shared call gives. */
  async #resolve(
    name: EnsName,
    charge: Charge,
    block: Block,
    signal: AbortSignal | undefined,
  ): Promise<Found> {
    const { resolver, data, wrapped } = charge;
    let { result } = charge;
    if (result.status !== 'ok') {
      const alone = await this.#reader.read(block, [askAlone(resolver, data)], signal);
      result = alone.results[0] as CallResult;
    }
    if (!isReferral(result)) {
      return { address: result.status === 'ok' ? readAnswer(wrapped, result.data) : null, offchain: false };
    }
    if (this.#gateways === undefined) {
      throw new OffchainName(`${name.text} is kept off-chain (CCIP-read), which is off`);
    }
    const answer = await followReferral(this.#reader, this.#gateways, resolver, { result, block, signal });
    return { address: readAnswer(wrapped, answer), offchain: true };
  }

  #keep(name: EnsName, resolved: ResolvedName): ResolvedName {
    if (!resolved.offchain) this.#addresses.set(keyOf(resolved.block, name), { address: resolved.address });
    return resolved;
  }
}

function keyOf(block: Block, name: EnsName): string {
  return `${block.hash}${name.node}`;
}
