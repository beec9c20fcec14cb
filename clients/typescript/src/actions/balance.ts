import { formatUnits, NATIVE_DECIMALS } from '../amount.ts';
import type { components } from '../openapi.ts';
import type { Transport } from '../transport.ts';
import { whenParams, type When } from '../when.ts';

type TokenRecord = components['schemas']['TokenBalance'];
type NativeRecord = components['schemas']['NativeBalance'];

/** A balance, as the API answers it, the amount exact. */
export type Balance<R = TokenRecord> = Omit<R, 'balance'> & {
  /** In the smallest unit. */
  readonly balance: bigint;
  /** In whole tokens: "4550.2275". */
  format(): string;
};

/** A balance of ether. */
export type NativeBalance = Balance<NativeRecord>;
/** A balance of a token or of ether. */
export type AnyBalance = Balance | NativeBalance;

/** Whose balance of what, and when. */
export interface BalanceQuestion extends When {
  /** The token contract, or `native` for ether. */
  readonly token: string;
  /** An address or an ENS name. */
  readonly holder: string;
  readonly signal?: AbortSignal | undefined;
}

/** The balance of a wallet at a block. @throws {NotFound} where there is no such token, name or block then */
export function balanceAt(
  transport: Transport,
  question: BalanceQuestion & { readonly token: 'native' },
): Promise<NativeBalance>;
export function balanceAt(transport: Transport, question: BalanceQuestion): Promise<Balance>;
export async function balanceAt(transport: Transport, question: BalanceQuestion): Promise<AnyBalance> {
  const { token, holder, signal } = question;
  const query = { holder, ...whenParams(question) };
  const root = `/v1/${transport.network}/balance`;
  if (token === 'native')
    return toNative(await transport.json<NativeRecord>({ path: `${root}/native`, query, signal }));
  return toBalance(
    await transport.json<TokenRecord>({
      path: `${root}/single`,
      query: { token_address: token, ...query },
      signal,
    }),
  );
}

export function toBalance(record: TokenRecord): Balance {
  const balance = BigInt(record.balance);
  return { ...record, balance, format: () => formatUnits(balance, record.token_decimals) };
}

export function toNative(record: NativeRecord): NativeBalance {
  const balance = BigInt(record.balance);
  return { ...record, balance, format: () => formatUnits(balance, NATIVE_DECIMALS) };
}
