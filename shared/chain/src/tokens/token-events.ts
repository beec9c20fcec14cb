/** The events by which tokens say who may be concerned. */
import { id } from 'ethers';
import { toChecksum } from '../address.ts';

/** First topics. `deposit` and `withdrawal` are wrapped ether's. */
export const TOPICS = {
  transfer: id('Transfer(address,address,uint256)'),
  approval: id('Approval(address,address,uint256)'),
  approvalForAll: id('ApprovalForAll(address,address,bool)'),
  deposit: id('Deposit(address,uint256)'),
  withdrawal: id('Withdrawal(address,uint256)'),
} as const;

/** An address as a topic. @param address 0x and 40 hex digits */
export function addressTopic(address: string): string {
  return `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;
}

/** The address in a topic, EIP-55; null where there is none. */
export function topicAddress(topic: string | undefined): string | null {
  return topic !== undefined && /^0x0{24}/.test(topic) ? toChecksum(`0x${topic.slice(26)}`) : null;
}
