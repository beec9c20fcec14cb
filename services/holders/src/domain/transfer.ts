/** The movements that a token's event names. */
import { numbersAt, TOPICS } from '@hindsight/chain/tokens/token-events.ts';
import { accountIn, wordsOf, type EventData } from './holder-events.ts';

/** `punks`: CryptoPunks, whose transfers have an amount in place of an id. */
export type Standard = 'erc20' | 'erc721' | 'erc1155' | 'punks';

/** The names of the events, as answers have them. */
export const MOVEMENT_EVENTS = [
  'transfer',
  'deposit',
  'withdrawal',
  'transfer_single',
  'transfer_batch',
  'consecutive_transfer',
  'assign',
] as const;

/** One movement of a token. Accounts are lower-cased. */
export interface Movement {
  readonly event: (typeof MOVEMENT_EVENTS)[number];
  readonly from: string;
  readonly to: string;
  /** Null of an ERC-721's, and where the event has no such number. */
  readonly amount: bigint | null;
  /** Null of an ERC-20's. */
  readonly id: bigint | null;
  /** Of a range of ids, which begins with `id`. */
  readonly lastId?: bigint | null;
}

/**
 * The movements in an event, in its order; none where the event is not one of these, or names no accounts.
 * @param standard the token's; undefined where it is not known, so that the number of topics decides
 */
export function movementsIn(log: EventData, standard: Standard | undefined): readonly Movement[] {
  const [event = ''] = log.topics;
  const words = wordsOf(log);
  const isFungible = standard === 'erc20';
  const isNft = standard === undefined || standard === 'erc721';
  const number = (at: number): bigint | null => (words[at] === undefined ? null : BigInt(words[at]));
  switch (event) {
    case TOPICS.transfer: {
      const isId = standard === undefined ? log.topics.length === 4 : standard === 'erc721';
      const numbers = isId ? { amount: null, id: number(2) } : { amount: number(2), id: null };
      return between('transfer', words[0], words[1], [numbers]);
    }
    // Wrapped ether says so in place of a transfer from or to the zero address; wallets, of the ether that they receive.
    case TOPICS.deposit:
      return isFungible ? between('deposit', ZERO_WORD, words[0], [{ amount: number(1), id: null }]) : [];
    case TOPICS.withdrawal:
      return isFungible ? between('withdrawal', words[0], ZERO_WORD, [{ amount: number(1), id: null }]) : [];
    case TOPICS.single:
      return between('transfer_single', words[1], words[2], [{ id: number(3), amount: number(4) }]);
    case TOPICS.batch: {
      const amounts = [...numbersAt(log.data, 1)];
      const moved = [...numbersAt(log.data, 0)].map((id, i) => ({ id, amount: amounts[i] ?? null }));
      return between('transfer_batch', words[1], words[2], moved);
    }
    // Has the first id, the sender, the receiver, and the last id, which alone is not indexed.
    case TOPICS.consecutive:
      return isNft
        ? between('consecutive_transfer', words[1], words[2], [
            { id: number(0), lastId: number(3), amount: null },
          ])
        : [];
    case TOPICS.assign:
      return standard === 'punks'
        ? between('assign', ZERO_WORD, words[0], [{ amount: 1n, id: number(1) }])
        : [];
    default:
      return [];
  }
}

const ZERO_WORD = `0x${'0'.repeat(64)}`;

function between(
  event: Movement['event'],
  sender: string | undefined,
  receiver: string | undefined,
  moved: readonly Omit<Movement, 'event' | 'from' | 'to'>[],
): readonly Movement[] {
  const [from, to] = [sender, receiver].map(accountIn);
  if (from === undefined || to === undefined) return [];
  return moved.map((numbers) => ({ event, from, to, ...numbers }));
}
