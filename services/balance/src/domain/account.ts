import { ApiError, notFound } from '@hindsight/kernel/errors.ts';
import type { NamesAt } from './pinned.ts';

/** A reference to an account: its address (EIP-55), or an ENS name as it was given. */
export type AccountRef = { readonly address: string } | { readonly name: string };

/** An account over a range of blocks. */
export interface HolderAt {
  /** EIP-55. */
  readonly address: string;
  /** The block at which a name was resolved; null where an address was given. */
  readonly resolvedAt: { readonly number: number; readonly hash: string } | null;
  /** The block of the network that has the name, where that is another one. */
  readonly namesAt?: NamesAt | undefined;
}

/**
 * 409: the name meant another address at an earlier block.
 * @param field the parameter that it was given in
 * @param orEach true if the question may be asked again with `resolve=each`
 */
export function nameMoved(
  { field, name, orEach }: { readonly field: string; readonly name: string; readonly orEach: boolean },
  now: NamedAt,
  before: NamedAt,
): ApiError {
  const each = orEach ? ', or resolve=each for the holder of each block' : '';
  return new ApiError(
    'name_moved',
    `${field}: the name ${name} means ${now.address} at block ${now.block}, and meant ${before.address} at block ` +
      `${before.block}; expected the address that you mean, or a range in which the name meant one${each}`,
  );
}

export interface NamedAt {
  readonly address: string;
  readonly block: number;
}

/**
 * 404: the name has no address at that block.
 * @param field the parameter that it was given in
 * @param later an address that it got later, which may be the one that is meant
 */
export function nowhere(
  { field, name }: { readonly field: string; readonly name: string },
  block: number,
  { at, later }: { readonly at?: NamesAt | undefined; readonly later?: NamedAt | undefined } = {},
): ApiError {
  const place = at
    ? `: at block ${at.number} of ${at.network} it has neither one for this network nor a default one`
    : '';
  const hint = later
    ? `; at the latest block, ${later.block}, it means ${later.address}: where it had none, give the address that you mean`
    : '';
  return notFound(
    'unknown_name',
    `${field}: the name ${name} has no address at block ${block}${place}${hint}`,
  );
}

export function accountText(account: AccountRef): string {
  return 'address' in account ? account.address : account.name;
}
