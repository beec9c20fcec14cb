/** The events by which tokens name their holders. */
import { TOPICS } from '@hindsight/chain/tokens/token-events.ts';

/**
 * Accounts among an event's parameters that may hold the token, by its first topic: their number, and the parameters before
 * them. Wrapped ether is minted and burnt by deposits and withdrawals alone.
 */
const ACCOUNTS: Readonly<Record<string, { readonly skip: number; readonly count: number }>> = {
  [TOPICS.transfer]: { skip: 0, count: 2 },
  [TOPICS.deposit]: { skip: 0, count: 1 },
  [TOPICS.withdrawal]: { skip: 0, count: 1 },
  [TOPICS.single]: { skip: 1, count: 2 },
  [TOPICS.batch]: { skip: 1, count: 2 },
  [TOPICS.consecutive]: { skip: 1, count: 2 },
  [TOPICS.assign]: { skip: 0, count: 1 },
  [TOPICS.mint]: { skip: 0, count: 1 },
};

/** First topics of all of them. */
export const HOLDER_EVENTS: readonly string[] = Object.keys(ACCOUNTS);

const WORD_BYTES = 32;
/** An operator, two accounts, an id and an amount. */
const MOST_WORDS = 5;
const WORD_CHARACTERS = 66;
const BEFORE_ADDRESS = `0x${'0'.repeat(24)}`;

/** An event, as far as it says what moved. */
export interface EventData {
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
 * The accounts that an event names, lower-cased, each once. They are topics where they are indexed, and words of the data
 * where not, as in CryptoKitties' events.
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
