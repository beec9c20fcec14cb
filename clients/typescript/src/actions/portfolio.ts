import { formatUnits, NATIVE_DECIMALS } from '../amount.ts';
import type { components } from '../openapi.ts';
import type { Transport } from '../transport.ts';
import { whenParams, type When } from '../when.ts';

type Wire = components['schemas']['Portfolio'];
type WireToken = Wire['tokens'][number];

/** A token that a wallet held. */
export type HeldToken = Omit<WireToken, 'balance'> & {
  readonly balance: bigint;
  /** In whole tokens. */
  format(): string;
};

/** A wallet's holdings at a block; `asked` names the tokens that they cover. */
export type Portfolio = Omit<Wire, 'native_balance' | 'tokens'> & {
  /** Ether: the amount in wei. */
  readonly native: { readonly balance: bigint; format(): string };
  readonly tokens: readonly HeldToken[];
};

/** Whose, and when. */
export interface PortfolioQuestion extends When {
  /** An address or an ENS name. */
  readonly holder: string;
  readonly signal?: AbortSignal | undefined;
}

/** Ether and every token with a balance at a block. */
export async function getPortfolio(transport: Transport, question: PortfolioQuestion): Promise<Portfolio> {
  const {
    native_balance: wei,
    tokens,
    ...record
  } = await transport.json<Wire>({
    path: `/v1/${transport.network}/portfolio`,
    query: { holder: question.holder, ...whenParams(question) },
    signal: question.signal,
  });
  const native = BigInt(wei);
  return {
    ...record,
    native: { balance: native, format: () => formatUnits(native, NATIVE_DECIMALS) },
    tokens: tokens.map((token) => {
      const balance = BigInt(token.balance);
      return { ...token, balance, format: () => formatUnits(balance, token.token_decimals) };
    }),
  };
}
