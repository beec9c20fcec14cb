/**
 * The kinds of contracts that a token index meets, well-behaved or not, and the right classification of each.
 */
import { loadArtifact } from '@hindsight/devchain/artifacts.ts';
import { id } from 'ethers';

/** A contract's kind, as its maker knows it. */
export interface KnownContract {
  /** Null: not a token. */
  readonly type: 'erc20' | 'erc721' | 'erc1155' | null;
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number | null;
}

/** Makes contracts; they wait in the next block. */
export interface ContractMaker {
  /** A plain token. @param shown the list's entry where it differs from the contract's answers */
  erc20(name: string, symbol: string, shown?: { name?: string; symbol?: string }): Promise<void>;
  /** A token that is there when it is first seen, and not at the end. */
  vanishing(name: string, symbol: string): Promise<void>;
  /** A contract of the dev chain's that can mint. */
  mintable(contract: string, known: KnownContract): Promise<void>;
  /** A token behind a proxy. */
  proxied(): Promise<void>;
  /** A contract with this code that has emitted a Transfer; null: it has destroyed itself. */
  emitter(runtime: string | null, known: KnownContract): Promise<void>;
}

/** The topic of a Transfer. */
const TRANSFER = id('Transfer(address,address,uint256)');

const bytes = (value: number, length: number): string => value.toString(16).padStart(2 * length, '0');

/** Creation code that emits a Transfer and leaves a contract with this code; none: it destroys itself. */
export function emitting(runtime: string | null): string {
  const log = `60016000${`7f${TRANSFER.slice(2)}`}60206000a3`;
  if (runtime === null) return `0x${log}6000ff`;
  const code = runtime.slice(2);
  const size = bytes(code.length / 2, 2);
  const prefixLength = log.length / 2 + 9 + 6;
  return `0x${log}61${size}61${bytes(prefixLength, 2)}60003961${size}6000f3${code}`;
}

/** A contract that must not be on the list. */
export const NO_TOKEN: KnownContract = { type: null, name: '', symbol: '', decimals: null };
/** Answers every question with the number one: to all appearances an ERC-20 without a name. */
const ONE_TO_EVERYTHING = '0x600160005260206000f3';
/** The same after counting 100,000 down: about 2.6 million gas. */
const ONE_AFTER_A_WHILE = '0x620186a05b6001900380600457600160005260206000f3';
/** The same after a write to its storage. */
const ONE_AFTER_A_WRITE = '0x6001600055600160005260206000f3';
/**
 * Answers all but `decimals` with the last 128 KiB of a mebibyte of memory: the gas of a mebibyte, and more bytes than fit
 * into an answer to many questions.
 */
const HUGE = '0x5f3560e01c63313ce5671460175762020000620e0000f35b60125f5260205ff3';
/** An ERC-20 without optional fields. */
const nameless = (decimals: number | null): KnownContract => ({
  type: 'erc20',
  name: '',
  symbol: '',
  decimals,
});

type Maker = (chain: ContractMaker, i: number) => Promise<void>;

/** Kinds in the order of making, in turns. */
export const KINDS: readonly Maker[] = [
  (chain, i) => chain.erc20(`Token ${i}`, `TK${i}`),
  (chain) =>
    chain.mintable('ApeToken', { type: 'erc721', name: 'BoredApeYachtClub', symbol: 'BAYC', decimals: null }),
  (chain) =>
    chain.mintable('ItemToken', { type: 'erc1155', name: 'Dev Chain Items', symbol: 'ITEM', decimals: null }),
  (chain) => chain.proxied(),
  (chain, i) =>
    chain.erc20(`Evil\u202e${i}\u0000\u200b\n <b>`, `\u202dX${i}`, { name: `Evil${i} <b>`, symbol: `X${i}` }),
  (chain) => chain.emitter('0x00', NO_TOKEN),
  (chain) => chain.emitter(null, NO_TOKEN),
  (chain) => chain.mintable('NamelessToken', { type: 'erc20', name: '', symbol: 'NONAME', decimals: 18 }),
  (chain) => chain.emitter(loadArtifact('GasBurner').runtime, NO_TOKEN),
  (chain) => chain.emitter(HUGE, nameless(18)),
  (chain) => chain.emitter(loadArtifact('ShortToken').runtime, NO_TOKEN),
  (chain) => chain.emitter(ONE_TO_EVERYTHING, nameless(1)),
  (chain) => chain.emitter(ONE_AFTER_A_WHILE, nameless(null)),
  (chain) => chain.emitter(ONE_AFTER_A_WRITE, nameless(null)),
  (chain, i) => chain.erc20('x'.repeat(200), `S${i}`, { name: 'x'.repeat(128), symbol: `S${i}` }),
  (chain, i) => chain.vanishing(`Gone ${i}`, 'GONE'),
];
