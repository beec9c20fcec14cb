/** Resolves ENS names at any height. */
import { Fault } from '@hindsight/kernel/errors.ts';
import { LRUCache } from 'lru-cache';
import type { Block, BlockQuery } from '../state/block.ts';
import type { Network } from '../networks.ts';
import type { CallResult } from '../state/multicall/multicall.ts';
import type { ChainReader, Reading } from '../state/reader.ts';
import { parseName, type EnsName } from './name.ts';
import { askAlone, followReferral, isReferral, OffchainName, type CcipGateways } from './ccip/offchain.ts';
import {
  earlyNameItem,
  inCharge,
  nameItems,
  question,
  readAddress,
  readAnswer,
  type AddressOf,
  type Charge,
  type FoundAddress,
} from './questions.ts';

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
  /** The block of another network that has the name; undefined where it is the block itself. */
  readonly registered?: RegisteredAt;
}

/** The block at which a name of another network was read. */
export interface RegisteredAt {
  readonly network: Network;
  readonly block: Block;
  readonly finalized: boolean;
  /** True if that moment will always have this block. */
  readonly lasting: boolean;
}

export interface Names {
  /**
   * Resolves a name in the state after the block: the newest, the one at a height, or one that is known
   * already.
   * @param signal abandons the question
   * @throws {UnusableName} for text that is no name
   * @throws {NoNames} when names of the network cannot be known
   * @throws {OffchainName} when its gateways are not permitted
   * @throws {GatewayError} when its gateways give no usable answer
   * @throws {AboveHead} when the chain has not reached that height
   * @throws {NodeError} when no node answers, or none has the state of that block
   */
  resolve(given: string, at: BlockQuery | Block, signal?: AbortSignal): Promise<ResolvedName>;
}

interface NameResolverDeps {
  readonly reader: ChainReader;
  readonly network: Network;
  /** Answers for names that are kept off-chain (CCIP-read); without it those are refused. */
  readonly gateways?: CcipGateways;
}

/** Names of the network cannot be known. The message is fit for the caller. */
export class NoNames extends Fault {
  constructor({ name }: Network, reason: string) {
    super(`${name} has no names here: ${reason}; expected an address`);
  }
}

interface Found {
  readonly address: FoundAddress;
  readonly offchain: boolean;
}

/** Acceptable addresses, in order of preference. */
type Wanted = readonly [AddressOf, ...AddressOf[]];

interface AskedName {
  readonly name: EnsName;
  readonly wanted: Wanted;
}

const NOWHERE: Found = { address: null, offchain: false };

const REMEMBERED_NAMES = 100_000;

/** Resolves names on a network that has a registry. */
export class NameResolver implements Names {
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

  resolve(given: string, at: BlockQuery | Block, signal?: AbortSignal): Promise<ResolvedName> {
    return this.resolveFor(['ethereum'], given, at, signal);
  }

  /**
   * Resolves a name to the first address that it has of these.
   * @throws as `resolve`
   */
  async resolveFor(
    wanted: Wanted,
    given: string,
    at: BlockQuery | Block,
    signal?: AbortSignal,
  ): Promise<ResolvedName> {
    const registries = this.#network.ensRegistries;
    if (registries === undefined)
      throw new NoNames(this.#network, 'they live on Ethereum, and this server has no Ethereum node');
    const name = parseName(given);
    const known = this.#reader.knownBlock(at);
    const remembered = known && this.#addresses.get(keyOf(known, name, wanted));
    if (remembered) {
      const finalized = this.#reader.isFinalized(known);
      return { block: known, finalized, name: name.text, address: remembered.address, offchain: false };
    }
    const height = typeof at === 'object' ? at.number : at;
    // Before the first registry none has any code, so no name resolves.
    const { address: registry } =
      registries.find(({ since }) => height === 'latest' || since <= height) ?? registries[0];
    const asked = { name, wanted };
    if (height !== 'latest' && height < this.#network.byzantiumBlock) {
      return this.#finishEarly(asked, await this.#reader.read(at, [earlyNameItem(registry, name)], signal));
    }
    const items = nameItems(registry, name, wanted[0]);
    return this.#finish(asked, await this.#reader.read(at, items, signal), signal);
  }

  /** No resolver had coin types (ENSIP-9) at these blocks. */
  #finishEarly(asked: AskedName, reading: Reading): ResolvedName {
    const address = asked.wanted[0] === 'ethereum' ? readAddress(reading.results[0] as CallResult) : null;
    return this.#keep(asked, reading, { address, offchain: false });
  }

  async #finish(asked: AskedName, reading: Reading, signal: AbortSignal | undefined): Promise<ResolvedName> {
    const charge = inCharge(asked.name, reading.results);
    if (charge === undefined) return this.#keep(asked, reading, NOWHERE);
    let found: Found = { address: undefined, offchain: false };
    for (const [i, of] of asked.wanted.entries()) {
      if (found.address !== undefined) break;
      // The first address was asked for with the resolver.
      const result = i === 0 ? charge.result : undefined;
      const next = await this.#ask(asked.name, { ...charge, result }, { of, block: reading.block, signal });
      found = { ...next, offchain: found.offchain || next.offchain };
    }
    return this.#keep(asked, reading, found);
  }

  /** A failed call may only need more gas, or more room for a referral, than a shared call gives. */
  async #ask(
    name: EnsName,
    { resolver, wrapped, result: shared }: Charge,
    { of, block, signal }: { of: AddressOf; block: Block; signal: AbortSignal | undefined },
  ): Promise<Found> {
    let result = shared;
    if (result?.status !== 'ok') {
      const alone = await this.#reader.read(block, [askAlone(resolver, question(wrapped, name, of))], signal);
      result = alone.results[0] as CallResult;
    }
    if (!isReferral(result)) {
      return {
        address: result.status === 'ok' ? readAnswer(wrapped, of, result.data) : undefined,
        offchain: false,
      };
    }
    if (this.#gateways === undefined) {
      throw new OffchainName(`${name.text} is kept off-chain (CCIP-read), which is off`);
    }
    const answer = await followReferral(this.#reader, this.#gateways, resolver, { result, block, signal });
    return { address: readAnswer(wrapped, of, answer), offchain: true };
  }

  #keep({ name, wanted }: AskedName, { block, finalized }: Reading, found: Found): ResolvedName {
    const { address = null, offchain } = found;
    if (!offchain) this.#addresses.set(keyOf(block, name, wanted), { address });
    return { block, finalized, name: name.text, address, offchain };
  }
}

function keyOf(block: Block, name: EnsName, [first]: Wanted): string {
  return `${block.hash}${name.node}${first === 'ethereum' ? '' : first.coinType}`;
}
