/** The events by which tokens say who may be concerned. */
import { id } from 'ethers/hash';
import { toChecksum } from '../address.ts';
import type { Log } from '../logs/log.ts';
import { wordToBigInt } from '../rpc/hex.ts';

/**
 * First topics. `deposit` and `withdrawal` are wrapped ether's; the transfers `single` and `batch` are ERC-1155's, and
 * `consecutive` is of a range of an ERC-721's ids, mostly minted at once; `assign` is CryptoPunks', of a first owner;
 * `mint` is the only event of a mint in tokens such as MKR and SAI (DSToken), and comes beside a transfer in many others.
 * @see https://eips.ethereum.org/EIPS/eip-2309
 */
export const TOPICS = {
  transfer: id('Transfer(address,address,uint256)'),
  approval: id('Approval(address,address,uint256)'),
  approvalForAll: id('ApprovalForAll(address,address,bool)'),
  deposit: id('Deposit(address,uint256)'),
  withdrawal: id('Withdrawal(address,uint256)'),
  single: id('TransferSingle(address,address,address,uint256,uint256)'),
  batch: id('TransferBatch(address,address,address,uint256[],uint256[])'),
  consecutive: id('ConsecutiveTransfer(uint256,uint256,address,address)'),
  assign: id('Assign(address,uint256)'),
  mint: id('Mint(address,uint256)'),
} as const;

/**
 * The address whose logs are transfers of ether (EIP-7708, from Glamsterdam on): lower case. It is no contract and no token; fees, withdrawals
 * and rewards move ether without such a log.
 */
export const ETHER_LOGS = '0xfffffffffffffffffffffffffffffffffffffffe';

/** An address as a topic. @param address 0x and 40 hex digits */
export function addressTopic(address: string): string {
  return `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;
}

/** The address in a topic, EIP-55; null where there is none. */
export function topicAddress(topic: string | undefined): string | null {
  return topic !== undefined && /^0x0{24}/.test(topic) ? toChecksum(`0x${topic.slice(26)}`) : null;
}

/**
 * The token ids that an ERC-1155 transfer names, as many as there is data for: an event's data is whatever its contract
 * wrote. None for other events.
 */
export function* transferredIds({ topics, data }: Pick<Log, 'topics' | 'data'>): Generator<bigint> {
  const [event] = topics;
  if (event === TOPICS.single && data.length >= 32) yield wordToBigInt(data);
  if (event === TOPICS.batch) yield* numbersAt(data, 0);
}

/** The numbers of the list whose place a word of the data names, from 0 on; as many as there is data for. */
export function* numbersAt(data: Buffer, word: number): Generator<bigint> {
  if (data.length < 32 * (word + 1)) return;
  const start = wordToBigInt(data, 32 * word);
  if (start > BigInt(data.length - 32)) return;
  const first = Number(start) + 32;
  const count = wordToBigInt(data, Number(start));
  for (let i = 0; i < count && first + 32 * (i + 1) <= data.length; i++)
    yield wordToBigInt(data, first + 32 * i);
}
