/** Accounts as they are asked for and as they are answered. */
import { notFound, type ApiError } from '@hindsight/shared/errors.ts';

/** Somebody with an address: the address itself (EIP-55), or an ENS name as it was given. */
export type Account = { readonly address: string } | { readonly name: string };

/** The parameter that an account was given in. */
export type AccountField = 'holder' | 'owner' | 'spender' | 'token_address';

/** 404: the name points nowhere at that block. */
export function nowhere(field: AccountField, name: string, block: number): ApiError {
  return notFound(`${field}: the name ${name} has no address at block ${block}`);
}

/** An account as text: its address, or the name as it was given. */
export function accountText(account: Account): string {
  return 'address' in account ? account.address : account.name;
}
