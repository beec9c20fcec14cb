/** Reads of a block: a method of the client for each operation that answers one plain question. */
import { amountOf, formatUnits } from '../amount.ts';
import type { Transport } from '../transport.ts';
import type { When } from '../when.ts';
import { nativeCoin, type NativeCoin } from './networks.ts';
import { exact, plain, type AnswerOf, type Asking, type Exact } from './plain.ts';

interface OfToken extends When, Asking {
  /** The token contract. */
  readonly token: string;
}
interface OfHolder extends When, Asking {
  /** An address or an ENS name. */
  readonly holder: string;
}

/** A question whose answer may have a proof. */
interface Provable {
  /** Asks for a proof of the amount, for `verify`. A 422 where the amount is not the value of a single slot. */
  readonly proof?: 'storage' | undefined;
}

/** Whose balance of what, and when. */
export interface BalanceQuestion extends OfHolder {
  /** The token contract, or `native` for ether. */
  readonly token: string;
  /** `storage` as in other questions; `shares`, for a token: a proof of the shares from which it computes the balance. */
  readonly proof?: 'storage' | 'shares' | undefined;
}
/** Who allowed whom, and when. */
export interface AllowanceQuestion extends OfToken, Provable {
  /** An address or an ENS name. */
  readonly owner: string;
  /** An address or an ENS name. */
  readonly spender: string;
}
/** A list that may have several pages. */
interface Paged {
  /** The `next` of the answer before. */
  readonly cursor?: string | undefined;
}
/** Whose, and when. */
export interface AllowancesQuestion extends When, Asking, Paged {
  /** An address or an ENS name. */
  readonly owner: string;
}
/** Whose, and when. */
export type PortfolioQuestion = OfHolder & Paged;
/** A token, and when. */
export type SupplyQuestion = OfToken & Provable;
/** A token, or `native`, and when. */
export type ValueQuestion = OfToken;
/** A token of a contract by its id, and when. */
export interface NftQuestion extends OfToken {
  readonly tokenId: bigint | number | string;
}
/** Whose shares of which vault, and when: the vault is an ERC-4626 contract. */
export type VaultQuestion = OfToken & OfHolder;
/** An account, and when. */
export interface CodeQuestion extends When, Asking {
  /** An address or an ENS name. */
  readonly address: string;
}
/** A block: the latest one where nothing is given. */
export type BlockQuestion = When & Asking;

/** A balance, as the API answers it, the amount exact. */
export type Balance = Exact<AnswerOf<'getTokenBalance'>, 'balance'>;
/** A balance of ether. */
export type NativeBalance = Exact<AnswerOf<'getNativeBalance'>, 'balance'>;
/** A balance of a token or of ether. */
export type AnyBalance = Balance | NativeBalance;
/** The amount that a spender could spend, as the API answers it, exact. */
export type Allowance = Exact<AnswerOf<'getTokenAllowance'>, 'allowance'>;
/** A token's total supply. */
export type Supply = Exact<AnswerOf<'getTokenSupply'>, 'total_supply'>;
/** The owner of an ERC-721 token. */
export type NftOwner = AnswerOf<'getNftOwner'>;
/** A balance of an ERC-1155 token. */
export type NftBalance = Omit<AnswerOf<'getNftBalance'>, 'balance'> & { readonly balance: bigint };
/** The size and hash of an account's code. */
export type Code = AnswerOf<'getCode'>;
/** A block, by number, hash and time. */
export type Block = AnswerOf<'getBlock'>;
/** Shares of a vault and what they were worth; `format` gives the worth, in whole tokens of the asset. */
export type VaultAssets = Exact<Omit<AnswerOf<'getVaultAssets'>, 'shares'>, 'assets'> & {
  readonly shares: bigint;
};

type WireReads = AnswerOf<'getValueReads'>;
type WireAllowances = AnswerOf<'listTokenAllowances'>;
type WirePortfolio = AnswerOf<'getPortfolio'>;

/** A reading; null with a reason where the contract gave no answer. */
export type ValueRead = Omit<WireReads['reads'][number], 'answer'> & {
  readonly answer: bigint | null;
  /** The answer with its decimals: "1.05"; empty where there is none, or where its decimals are not known. */
  format(): string;
};
/** Readings of what contracts said a token was worth at a block, each with its call. */
export type ValueReads = Omit<WireReads, 'reads'> & { readonly reads: readonly ValueRead[] };

/** The amount that a spender could spend; null for an operator, who could move all tokens of the contract. */
export type OpenAllowance = Omit<WireAllowances['allowances'][number], 'allowance'> & {
  readonly allowance: bigint | null;
  /** In whole tokens; `all` for an operator. */
  format(): string;
};
/**
 * Approvals of an owner at a block: a page, of which `next` is the cursor of the next one. `asked` says from which blocks the
 * candidates come.
 */
export type AllowanceList = Omit<WireAllowances, 'allowances'> & {
  readonly allowances: readonly OpenAllowance[];
};
/** A token that a wallet held. */
export type HeldToken = Exact<WirePortfolio['tokens'][number], 'balance'>;
/** A wallet's holdings at a block: a page, as of allowances. `asked` says which tokens that is about. */
export type Portfolio = Omit<WirePortfolio, 'native_balance' | 'tokens'> & {
  /** The native coin, in its smallest unit: wei. */
  readonly native: { readonly balance: bigint; format(): string };
  readonly tokens: readonly HeldToken[];
};

export const toBalance = (record: AnswerOf<'getTokenBalance'>): Balance =>
  exact(record, 'balance', record.token_decimals);
export const toNative = (record: AnswerOf<'getNativeBalance'>, { decimals }: NativeCoin): NativeBalance =>
  exact(record, 'balance', decimals);

const nativeBalance = plain(
  'getNativeBalance',
  // The API refuses other proofs of ether.
  ({ holder, proof }: BalanceQuestion) => ({ holder, proof: proof as Provable['proof'] }),
  async (record, transport, signal) => toNative(record, await nativeCoin(transport, signal)),
);
const tokenBalance = plain(
  'getTokenBalance',
  ({ token, holder, proof }: BalanceQuestion) => ({ token_address: token, holder, proof }),
  toBalance,
);

/** The balance of a wallet at a block. @throws {NotFound} where there is no such token, name or block then */
export function balanceAt(
  transport: Transport,
  question: BalanceQuestion & { readonly token: 'native' },
): Promise<NativeBalance>;
export function balanceAt(transport: Transport, question: BalanceQuestion): Promise<Balance>;
export function balanceAt(transport: Transport, question: BalanceQuestion): Promise<AnyBalance> {
  return (question.token === 'native' ? nativeBalance : tokenBalance)(transport, question);
}

/** The amount that a spender could spend at a block. @throws {NotFound} where nothing was allowed */
export const allowanceAt = plain(
  'getTokenAllowance',
  ({ token, owner, spender, proof }: AllowanceQuestion) => ({ token_address: token, owner, spender, proof }),
  (record): Allowance => exact(record, 'allowance', record.token_decimals),
);

/** Every token and spender whose allowance was not zero at a block. */
export const listAllowances = plain(
  'listTokenAllowances',
  ({ owner, cursor }: AllowancesQuestion) => ({ owner, cursor }),
  (record): AllowanceList => ({ ...record, allowances: record.allowances.map(toOpenAllowance) }),
);

function toOpenAllowance(one: WireAllowances['allowances'][number]): OpenAllowance {
  const { allowance, ...rest } = one;
  if (allowance === null) return { ...rest, allowance, format: () => 'all' };
  const amount = BigInt(allowance);
  return { ...rest, allowance: amount, format: () => formatUnits(amount, one.token_decimals) };
}

/** Ether and every token with a balance at a block. */
export const getPortfolio = plain(
  'getPortfolio',
  ({ holder, cursor }: PortfolioQuestion) => ({ holder, cursor }),
  async ({ native_balance: wei, tokens, ...record }, transport, signal): Promise<Portfolio> => ({
    ...record,
    native: exact({ balance: wei }, 'balance', (await nativeCoin(transport, signal)).decimals),
    tokens: tokens.map((token) => exact(token, 'balance', token.token_decimals)),
  }),
);

/** The size and hash of the code at an address at a block. */
export const getCode = plain(
  'getCode',
  ({ address }: CodeQuestion) => ({ address }),
  (record): Code => record,
);

/** The total supply of a token at a block. */
export const getSupply = plain(
  'getTokenSupply',
  ({ token, proof }: SupplyQuestion) => ({ token_address: token, proof }),
  (record): Supply => exact(record, 'total_supply', record.token_decimals),
);

/** Asks contracts for what a token was worth at a block. */
export const readValue = plain(
  'getValueReads',
  ({ token }: ValueQuestion) => ({ token_address: token }),
  (record): ValueReads => ({ ...record, reads: record.reads.map(toValueRead) }),
);

function toValueRead(one: WireReads['reads'][number]): ValueRead {
  const answer = amountOf(one.answer);
  // A tick has no decimals; of an amount whose decimals no contract told, the size is not known.
  const isKnown = one.decimals !== null || one.kind === 'uniswap-v3-twap';
  return {
    ...one,
    answer,
    format: () => (answer === null || !isKnown ? '' : formatUnits(answer, one.decimals)),
  };
}

const nftOf = ({ token, tokenId }: NftQuestion) => ({ token_address: token, token_id: String(tokenId) });

/** The owner of an ERC-721 token at a block. @throws {NotFound} where there was no such token */
export const getNftOwner = plain('getNftOwner', nftOf, (record): NftOwner => record);

/** The amount of an ERC-1155 token that a wallet held at a block. */
export const getNftBalance = plain(
  'getNftBalance',
  ({ holder, ...nft }: NftQuestion & OfHolder) => ({ ...nftOf(nft), holder }),
  (record): NftBalance => ({ ...record, balance: BigInt(record.balance) }),
);

/** The worth of a holder's shares of an ERC-4626 vault at a block. */
export const getVaultAssets = plain(
  'getVaultAssets',
  ({ token, holder }: VaultQuestion) => ({ token_address: token, holder }),
  (record): VaultAssets => ({
    ...exact(record, 'assets', record.asset_decimals),
    shares: BigInt(record.shares),
  }),
);

/** The block of a height, a date or a hash; the latest without any. @throws {NotFound} where there is none */
export const blockAt = plain(
  'getBlock',
  (_question: BlockQuestion) => ({}),
  (record): Block => record,
);
