/** The events by which tokens name their holders. */
import { id } from 'ethers/hash';

/** First topics. Wrapped ether is minted and burnt by `deposit` and `withdrawal` alone; `single` and `batch` are ERC-1155's. */
const TRANSFER = id('Transfer(address,address,uint256)');
const DEPOSIT = id('Deposit(address,uint256)');
const WITHDRAWAL = id('Withdrawal(address,uint256)');
export const SINGLE = id('TransferSingle(address,address,address,uint256,uint256)');
export const BATCH = id('TransferBatch(address,address,address,uint256[],uint256[])');

/** Accounts among an event's parameters that may hold the token: their number, and the parameters before them. */
const ACCOUNTS: Readonly<Record<string, { readonly skip: number; readonly count: number }>> = {
  [TRANSFER]: { skip: 0, count: 2 },
  [DEPOSIT]: { skip: 0, count: 1 },
  [WITHDRAWAL]: { skip: 0, count: 1 },
  [SINGLE]: { skip: 1, count: 2 },
  [BATCH]: { skip: 1, count: 2 },
};

/** All of them. */
export const HOLDER_EVENTS: readonly string[] = Object.keys(ACCOUNTS);

const WORD_BYTES = 32;
/** An operator, two accounts, an id and an amount. */
const MOST_WORDS = 5;
/** A word that is an account. */
export const ADDRESS_WORD = /^0x0{24}([0-9a-f]{40})$/i;
const WORD_CHARACTERS = 66;
const BEFORE_ADDRESS = `0x${'0'.repeat(24)}`;

interface EventData {
  readonly topics: readonly string[];
  readonly data: Buffer;
}

/** The parameters of an event: those that are indexed, then the words of its data. */
export function wordsOf({ topics: [, ...indexed], data }: EventData): readonly string[] {
  const words = [...indexed];
  for (let at = 0; words.length < MOST_WORDS && at + WORD_BYTES <= data.length; at += WORD_BYTES)
    words.push(`0x${data.toString('hex', at, at + WORD_BYTES)}`);
  return words;
}

/**
 * Whom an event names, lower-cased, each once. Accounts are topics where they are indexed, and words of the data where not,
 * as CryptoKitties has them.
 */
export function holdersIn(log: EventData): readonly string[] {
  const accounts = ACCOUNTS[log.topics[0] ?? ''];
  if (accounts === undefined) return [];
  const { skip, count } = accounts;
  // Data is read only where it has an account: a walk meets a hundred thousand events a second.
  const words = log.topics.length > skip + count ? log.topics.slice(1) : wordsOf(log);
  const [first, second] = [accountIn(words[skip]), count > 1 ? accountIn(words[skip + 1]) : undefined];
  return [first, second === first ? undefined : second].filter((account) => account !== undefined);
}

/** The account that a well-formed word is, lower-cased; undefined where it is none. */
export function accountIn(word: string | undefined): string | undefined {
  if (word?.length !== WORD_CHARACTERS || !word.startsWith(BEFORE_ADDRESS)) return undefined;
  return `0x${word.slice(BEFORE_ADDRESS.length).toLowerCase()}`;
}
