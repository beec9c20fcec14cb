/** Names of a network that has no registry: those of Ethereum at the moment of its block (ENSIP-11, ENSIP-19). */
import type { Clock } from '@hindsight/kernel/clock.ts';
import { NoBlockAtDate, type DateSearch } from '../dates/date-search.ts';
import type { Network } from '../networks.ts';
import type { Block, BlockQuery } from '../state/block.ts';
import type { ChainReader } from '../state/reader.ts';
import { parseName } from './name.ts';
import { NoNames, type NameResolver, type Names, type ResolvedName } from './name-resolver.ts';
import type { AddressOf } from './questions.ts';

export interface Registry {
  readonly network: Network;
  readonly reader: ChainReader;
  readonly dates: DateSearch;
  readonly names: NameResolver;
}

interface Deps {
  /** The network whose names are asked for, and its reader. */
  readonly network: Network;
  readonly reader: ChainReader;
  readonly registry: Registry;
  readonly clock: Clock;
}

/** The coin type of the default EVM address (ENSIP-19). A chain’s own is this plus its id (ENSIP-11). */
const DEFAULT_EVM = 0x8000_0000;

/** Resolves names for a network by another one's registry. */
export class NamesElsewhere implements Names {
  readonly #deps: Deps;
  readonly #wanted: readonly [AddressOf, ...AddressOf[]];

  constructor(deps: Deps) {
    const { chainId } = deps.network;
    const fallback = { coinType: DEFAULT_EVM };
    this.#deps = deps;
    // Never coin type 60: an account that is a contract on Ethereum may have another owner here.
    this.#wanted = chainId < DEFAULT_EVM ? [{ coinType: DEFAULT_EVM + chainId }, fallback] : [fallback];
  }

  async resolve(given: string, at: BlockQuery | Block, signal?: AbortSignal): Promise<ResolvedName> {
    const { reader, registry } = this.#deps;
    // Refused before any node is asked.
    parseName(given);
    const block = typeof at === 'object' ? at : await reader.findBlock(at, signal);
    const then = await this.#registryBlock(block, signal);
    const found = await registry.names.resolveFor(this.#wanted, given, then, signal);
    const registered = {
      network: registry.network,
      block: then,
      finalized: found.finalized,
      // The block after it ends the moment.
      lasting: registry.reader.isFinalized({ ...then, number: then.number + 1 }),
    };
    return { ...found, block, finalized: reader.isFinalized(block), registered };
  }

  /** The registry's last block at or before the block's time. */
  async #registryBlock({ timestamp, number }: Block, signal: AbortSignal | undefined): Promise<Block> {
    const { network, registry, clock } = this.#deps;
    try {
      // A chain's clock may be ahead of ours.
      return await registry.dates.findBlockAt(Math.min(timestamp, Math.floor(clock.now() / 1000)), signal);
    } catch (error) {
      if (!(error instanceof NoBlockAtDate)) throw error;
      throw new NoNames(network, `${registry.network.name} had no block at the time of block ${number}`);
    }
  }
}
