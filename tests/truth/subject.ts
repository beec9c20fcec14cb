/**
 * Subjects of questions, and their places in storage: layouts known from devchain/contracts, not from
 * answers.
 */
import { AbiCoder, id, keccak256, namehash } from 'ethers';
import type { Ledger } from '@hindsight/devchain/ledger.ts';
import { CONTRACTS, TOKENS, type TokenName } from '@hindsight/devchain/world.ts';

/** An amount that an account has, or may spend. */
export type Subject =
  | { readonly kind: 'balance'; readonly token: AskedToken; readonly holder: string }
  | {
      readonly kind: 'allowance';
      readonly token: AskedToken;
      readonly holder: string;
      readonly spender: string;
    }
  | { readonly kind: 'native'; readonly holder: string };

/** An ERC-1155 has no single balance to ask for. */
export type AskedToken = Exclude<TokenName, 'items'>;

/** A word that can be read from a node without running any code. */
export type Word = readonly ['eth_getStorageAt', string, string] | readonly ['eth_getBalance', string];

interface Layout {
  /** The slot of the mapping of balances (of shares, for the one that rebases). */
  readonly balances: number;
  readonly allowances?: number;
}

const LAYOUTS: Readonly<Record<AskedToken, Layout>> = {
  uni: { balances: 0, allowances: 1 },
  usdt: { balances: 1, allowances: 2 },
  usdc: { balances: 0, allowances: 1 },
  weth: { balances: 0, allowances: 1 },
  mkr: { balances: 1, allowances: 2 },
  steth: { balances: 2, allowances: 3 },
  nameless: { balances: 0, allowances: 1 },
  script: { balances: 0, allowances: 1 },
  late: { balances: 0, allowances: 1 },
  savings: { balances: 0, allowances: 1 },
  bayc: { balances: 3 },
  kitties: { balances: 1 },
};
const STETH_POOLED = 0;
const STETH_SHARES = 1;
const RESOLVER_ADDRESSES = 0;

/** All tokens in the questions. */
export const ASKED_TOKENS = Object.keys(LAYOUTS) as readonly AskedToken[];

/** The words that make up an amount. */
export function wordsOf(subject: Subject): readonly Word[] {
  if (subject.kind === 'native') return [['eth_getBalance', subject.holder]];
  const { token, holder } = subject;
  const { address } = TOKENS[token];
  const { balances, allowances } = LAYOUTS[token];
  const at = (slot: string): Word => ['eth_getStorageAt', address, slot];
  if (subject.kind === 'allowance') {
    if (allowances === undefined) throw new RangeError(`${token} has no allowances`);
    return [at(slotOf('address', subject.spender, slotOf('address', holder, allowances)))];
  }
  const balance = at(slotOf('address', holder, balances));
  return token === 'steth' ? [balance, at(word(STETH_POOLED)), at(word(STETH_SHARES))] : [balance];
}

/** The amount that `wordsOf` make up. */
export function amountIn(subject: Subject, words: readonly bigint[]): bigint {
  const [amount = 0n, pooled = 0n, shares = 0n] = words;
  const rebases = subject.kind === 'balance' && subject.token === 'steth';
  if (!rebases) return amount;
  return shares === 0n ? 0n : (amount * pooled) / shares;
}

/** The word where the ENS resolver keeps a name's address. */
export function wordOfName(name: string): Word {
  return ['eth_getStorageAt', CONTRACTS.ensResolver, slotOf('bytes32', namehash(name), RESOLVER_ADDRESSES)];
}

/** The word where a ZeppelinOS proxy keeps its implementation. */
export function wordOfImplementation(proxy: string): Word {
  return ['eth_getStorageAt', proxy, id('org.zeppelinos.proxy.implementation')];
}

/** The seeding plan's entry. Ether is what the plan moved, without any gas. */
export function bookedAmount(ledger: Ledger, subject: Subject, block: number): bigint {
  switch (subject.kind) {
    case 'balance':
      return ledger.balanceAt(TOKENS[subject.token].address, subject.holder, block);
    case 'allowance':
      return ledger.allowanceAt(TOKENS[subject.token].address, subject.holder, subject.spender, block);
    case 'native':
      return ledger.nativeAt(subject.holder, block);
  }
}

/** The slot of a mapping's entry (Solidity's layout of storage). */
function slotOf(type: 'address' | 'bytes32', key: string, mapping: number | string): string {
  return keccak256(AbiCoder.defaultAbiCoder().encode([type, 'uint256'], [key, mapping]));
}

function word(slot: number): string {
  return `0x${slot.toString(16)}`;
}
