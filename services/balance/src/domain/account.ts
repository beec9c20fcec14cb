import { notFound, type ApiError } from '@hindsight/kernel/errors.ts';

/** A reference to an account: its address (EIP-55), or an ENS name as it was given. */
export type AccountRef = { readonly address: string } | { readonly name: string };

/** 404: the name has no address at that block. @param field the parameter that it was given in */
export function nowhere(field: string, name: string, block: number): ApiError {
  return notFound('unknown_name', `${field}: the name ${name} has no address at block ${block}`);
}

/** An account as text: its address, or the name as it was given. */
export function accountText(account: AccountRef): string {
  return 'address' in account ? account.address : account.name;
}
