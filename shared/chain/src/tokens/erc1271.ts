/** Signatures that a contract confirms (ERC-1271, https://eips.ethereum.org/EIPS/eip-1271). */
import { Interface } from 'ethers/abi';
import { withDeadline } from '@hindsight/kernel/deadline.ts';
import { callOf, type MulticallItem, type MulticallResult } from '../state/multicall/multicall.ts';
import type { ChainReader } from '../state/reader.ts';

/**
 * An account's verdict on a signature. `unknown`: no answer in time, which says nothing about the signature.
 */
export type ContractVerdict = 'right' | 'wrong' | 'no-contract' | 'unknown';

export interface ContractQuestion {
  /** 0x and 40 hex digits. */
  readonly address: string;
  /** The 32 bytes that were signed: 0x and 64 hex digits. */
  readonly digest: string;
  /** 0x and whole bytes in hex; it travels within one multicall, so the caller bounds it to some kilobytes. */
  readonly signature: string;
}

const ERC1271 = new Interface([
  'function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)',
]);
/** A contract's answer to a right signature: a bytes4, padded to a word. */
const MAGIC = Buffer.from(`1626ba7e${'00'.repeat(28)}`, 'hex');
/** More than wallets with several owners or passkeys need. */
const GAS = 5_000_000;

/**
 * Asks at the latest block, in one `eth_call`, for code at the address and for its verdict.
 * @param withinMs longest wait; the question itself goes on to the node's own limit, since others may share
 * it
 */
export async function askContract(
  reader: ChainReader,
  { address, digest, signature }: ContractQuestion,
  withinMs: number,
): Promise<ContractVerdict> {
  const data = ERC1271.encodeFunctionData('isValidSignature', [digest, signature]);
  const items: MulticallItem[] = [{ kind: 'account', target: address }, callOf(address, data, GAS)];
  const asked = reader.read('latest', items).then(({ results }) => verdictOf(results));
  // Whatever goes wrong at the node says nothing about the signature.
  return withDeadline(asked, withinMs, () => new Error('late')).catch((): ContractVerdict => 'unknown');
}

/**
 * True if there is code at an address, at the latest block; undefined if no node answers in time. Costs a
 * node far less than `askContract`: it needs no gas for an account's code, so hundreds of accounts share an
 * `eth_call`.
 */
export async function hasCode(
  reader: ChainReader,
  address: string,
  withinMs: number,
): Promise<boolean | undefined> {
  const asked = reader
    .read('latest', [{ kind: 'account', target: address }])
    .then(({ results: [account] }) => (account?.status === 'account' ? account.codeSize > 0 : undefined));
  return withDeadline(asked, withinMs, () => new Error('late')).catch(() => undefined);
}

function verdictOf([account, call]: readonly MulticallResult[]): ContractVerdict {
  if (account?.status !== 'account' || call === undefined || call.status === 'account') return 'unknown';
  if (account.codeSize === 0) return 'no-contract';
  if (call.status === 'starved') return 'unknown';
  return call.status === 'ok' && call.data.equals(MAGIC) ? 'right' : 'wrong';
}
