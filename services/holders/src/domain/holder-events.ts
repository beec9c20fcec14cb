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
  const { skip, count } = ACCOUNTS[log.topics[0] ?? ''] ?? { skip: 0, count: 0 };
  const accounts = wordsOf(log)
    .slice(skip, skip + count)
    .flatMap((word) => ADDRESS_WORD.exec(word)?.[1] ?? []);
  return [...new Set(accounts.map((digits) => `0x${digits.toLowerCase()}`))];
}
