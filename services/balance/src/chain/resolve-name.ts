/** Resolves a name for an answer, which says at which block that was. */
import type { Names, ResolvedName } from '@hindsight/chain/ens/name-resolver.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { Block, BlockQuery } from '@hindsight/chain/state/block.ts';
import { nowhere } from '../domain/account.ts';
import type { NamesAt } from '../domain/pinned.ts';

/** Meaning of a name. */
export interface ResolvedAccount {
  /** As it was resolved. */
  readonly name: string;
  /** EIP-55. */
  readonly address: string;
  readonly block: Block;
  /** True if a gateway answered, for now, whatever the block is. */
  readonly offchain: boolean;
  /** The block of another network that has the names. */
  readonly namesAt: NamesAt | undefined;
  /** True if the name will always have meant this. */
  readonly lasting: boolean;
}

/**
 * Resolves the name of a parameter.
 * @param field the parameter
 * @throws {ApiError} 404 for a name without an address
 * @throws what `Names.resolve` throws
 */
export async function resolveName(
  names: Names,
  { field, name: given }: { readonly field: string; readonly name: string },
  at: BlockQuery | Block,
  signal: AbortSignal,
): Promise<ResolvedAccount> {
  const found = await names.resolve(given, at, signal);
  const { name, address, block, offchain, registered } = found;
  const namesAt = namesAtOf(found);
  if (address === null) throw nowhere(field, name, block.number, namesAt);
  const lasting = !offchain && (registered?.lasting ?? true);
  return { name, address, block, offchain, namesAt, lasting };
}

/** The block of another network that has a name, if it is one. */
export function namesAtOf({ registered }: Pick<ResolvedName, 'registered'>): NamesAt | undefined {
  if (registered === undefined) return undefined;
  const { network, block, finalized } = registered;
  const { number, hash, timestamp } = block;
  return { network: network.name, number, hash, timestamp, finalized };
}

/**
 * The block of all names of one question.
 * @throws {NodeError} if names were resolved at two: one was reorganised away meanwhile
 */
export function sameNamesAt(one: NamesAt | undefined, other: NamesAt | undefined): NamesAt | undefined {
  if (one && other && one.hash !== other.hash)
    throw new NodeError('unknown-block', `block ${one.number} of ${one.network} was reorganised away`);
  return one ?? other;
}
