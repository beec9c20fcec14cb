/** Answers with their proofs, made of a node's own answers, as the API makes them. */
import { encodeHeader } from '@hindsight/chain/proofs/header-rlp.ts';
import { ask, blockTag, callAt } from '@hindsight/devchain/client.ts';
import { hexlify, Interface, solidityPackedKeccak256, toBeHex, zeroPadValue } from 'ethers';

/** A proof as an answer has it. */
export interface WireProof {
  header_rlp: string;
  account_proof: string[];
  storage: { key: string; value: string; proof: string[] }[];
  claim: string;
  shares?: string;
}

/** An answer as JSON gives it; a test changes its copy. */
export interface WireAnswer {
  [field: string]: unknown;
  block_hash: string;
  checked_at_block: number;
  checked_at_date: string;
  proof: WireProof;
}

/** Indexes of the balances, the allowances and the supply in OpenZeppelin's ERC-20. */
const BALANCES = 0;
const ALLOWANCES = 1;
const SUPPLY = 2;
/** Of staked ether. */
const SHARES = 2;
const TOKEN = new Interface([
  'function balanceOf(address) view returns (uint256)',
  'function allowance(address, address) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
  'function sharesOf(address) view returns (uint256)',
]);

/** A question of a node at a height. */
interface At {
  readonly url: string;
  readonly block: number;
}

export async function proveEther({ url, block }: At, holder: string): Promise<WireAnswer> {
  const balance = BigInt((await ask(url, 'eth_getBalance', holder, blockTag(block))) as string);
  return { holder, balance: `${balance}`, ...(await prove({ url, block }, holder)) };
}

export async function proveBalance({ url, block }: At, token: string, holder: string): Promise<WireAnswer> {
  const balance = await read({ url, block }, token, 'balanceOf', holder);
  const about = { holder, token_address: token, token_name: 'A token', token_decimals: 18, balance };
  return { ...about, ...(await prove({ url, block }, token, slotOf(BALANCES, holder))) };
}

/** The balance of a token that computes it from shares, with the proof of those. */
export async function proveShares(at: At, token: string, holder: string): Promise<WireAnswer> {
  const balance = await read(at, token, 'balanceOf', holder);
  const shares = await read(at, token, 'sharesOf', holder);
  const { proof, ...block } = await prove(at, token, slotOf(SHARES, holder));
  const about = { holder, token_address: token, balance };
  return { ...about, ...block, proof: { ...proof, claim: 'slot-is-shares', shares } };
}

export async function proveAllowance(
  { url, block }: At,
  token: string,
  [owner, spender]: readonly [string, string],
): Promise<WireAnswer> {
  const allowance = await read({ url, block }, token, 'allowance', owner, spender);
  const about = { owner, spender, token_address: token, allowance };
  return { ...about, ...(await prove({ url, block }, token, slotOf(ALLOWANCES, owner, spender))) };
}

export async function proveSupply({ url, block }: At, token: string): Promise<WireAnswer> {
  const supply = await read({ url, block }, token, 'totalSupply');
  const about = { token_address: token, total_supply: supply };
  return { ...about, ...(await prove({ url, block }, token, toBeHex(SUPPLY, 32))) };
}

/** The key of an entry of a mapping, or of a mapping in a mapping, as Solidity places it. */
export function slotOf(index: number, ...accounts: readonly string[]): string {
  return accounts.reduce(
    (slot, account) =>
      solidityPackedKeccak256(['bytes32', 'bytes32'], [zeroPadValue(account.toLowerCase(), 32), slot]),
    toBeHex(index, 32),
  );
}

/** The block and the proof of an account, or of one slot of it. */
export async function prove({ url, block }: At, account: string, key?: string): Promise<WireAnswer> {
  const header = (await ask(url, 'eth_getBlockByNumber', blockTag(block), false)) as Record<string, string>;
  const keys = key === undefined ? [] : [key];
  const { accountProof, storageProof } = (await ask(url, 'eth_getProof', account, keys, blockTag(block))) as {
    accountProof: string[];
    storageProof: { value: string; proof: string[] }[];
  };
  return {
    checked_at_block: block,
    checked_at_date: new Date(Number(header.timestamp) * 1_000).toISOString(),
    block_hash: header.hash!,
    proof: {
      header_rlp: hexlify(encodeHeader(header, header.hash!)),
      account_proof: accountProof,
      storage: storageProof.map(({ value, proof }) => ({ key: key!, value, proof })),
      claim: key === undefined ? 'account-is-balance' : 'slot-is-balance',
    },
  };
}

async function read(
  { url, block }: At,
  token: string,
  method: string,
  ...args: readonly string[]
): Promise<string> {
  return `${BigInt(await callAt(url, token, TOKEN.encodeFunctionData(method, args), block))}`;
}
