/** Resolves a name for an answer, which says at which block that was. */
import type { Names, ResolvedName } from '@hindsight/chain/ens/name-resolver.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { Block, BlockQuery } from '@hindsight/chain/state/block.ts';
import { nowhere, type NamedAt } from '../domain/account.ts';
import type { NamesAt } from '../domain/pinned.ts';

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

interface AskedName {
  readonly field: string;
  readonly name: string;
  readonly isOneOfMany?: boolean;
}

/**
 * Resolves the name of a parameter.
 * @param field the parameter
 * @param isOneOfMany true where a list has the name: its error costs no other question
 * @throws {ApiError} 404 for a name without an address
 * @throws what `Names.resolve` throws
 */
export async function resolveName(
  names: Names,
  { field, name: given, isOneOfMany = false }: AskedName,
  at: BlockQuery | Block,
  signal: AbortSignal,
): Promise<ResolvedAccount> {
  const found = await names.resolve(given, at, signal);
  const { name, address, block, offchain, registered } = found;
  const namesAt = namesAtOf(found);
  if (address === null) {
    const later = isOneOfMany || at === 'latest' ? undefined : await latestMeaning(names, given, signal);
    throw nowhere({ field, name }, block.number, { at: namesAt, later });
  }
  const lasting = !offchain && (registered?.lasting ?? true);
  return { name, address, block, offchain, namesAt, lasting };
}

/** The address of a name at the latest block, for an error; undefined where it has none, or cannot be known. */
export async function latestMeaning(
  names: Names,
  name: string,
  signal: AbortSignal,
): Promise<NamedAt | undefined> {
  const found = await names.resolve(name, 'latest', signal).catch(() => null);
  if (!found?.address) return undefined;
  return { address: found.address, block: found.block.number };
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
