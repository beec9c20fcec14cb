import type { components } from '../openapi.ts';
import type { Transport } from '../transport.ts';
import { whenParams, type When } from '../when.ts';

type WireBalance = components['schemas']['NftBalance'];

/** The owner of an ERC-721 token. */
export type NftOwner = components['schemas']['NftOwner'];
/** A balance of an ERC-1155 token. */
export type NftBalance = Omit<WireBalance, 'balance'> & { readonly balance: bigint };

/** A token of a contract, and a block. */
export interface NftQuestion extends When {
  /** The contract. */
  readonly token: string;
  readonly tokenId: bigint | number | string;
  readonly signal?: AbortSignal | undefined;
}

/** The owner of an ERC-721 token at a block. @throws {NotFound} if there was no such token */
export function getNftOwner(transport: Transport, question: NftQuestion): Promise<NftOwner> {
  return transport.json<NftOwner>({
    path: `/v1/${transport.network}/nft/owner`,
    query: queryOf(question),
    signal: question.signal,
  });
}

/** A wallet's balance of an ERC-1155 token at a block. */
export async function getNftBalance(
  transport: Transport,
  question: NftQuestion & { readonly holder: string },
): Promise<NftBalance> {
  const record = await transport.json<WireBalance>({
    path: `/v1/${transport.network}/nft/balance`,
    query: { ...queryOf(question), holder: question.holder },
    signal: question.signal,
  });
  return { ...record, balance: BigInt(record.balance) };
}

const queryOf = (question: NftQuestion) => ({
  token_address: question.token,
  token_id: String(question.tokenId),
  ...whenParams(question),
});
