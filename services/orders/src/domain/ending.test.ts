/** The rule, case by case: what the chain shows, and what the order is then. */
import { describe, expect, it } from '@jest/globals';
import { PERMIT2 } from '@hindsight/chain/tokens/permit2.ts';
import { endingOf, type Ending, type FinalBlock, type NonceBit, type OrderTerms } from './ending.ts';
import { ORDER_TOPICS, readOrderLog, type OrderLog } from './order-logs.ts';
import { REACTORS } from './reactors.ts';

const [V1, OLD_V1] = REACTORS[1]!.Dutch! as [string, string];
const [V2] = REACTORS[1]!.Dutch_V2! as [string];
const RELAY = '0x0000000000A4e21E2597DCac987455c48b12edBF';
const hashOf = (n: number): string => `0x${String(n).padStart(64, '0')}`;
const SWAPPER = `0x${'ab'.repeat(20)}`;
const OTHER = `0x${'cd'.repeat(20)}`;
const DEADLINE = 1_000;
/** In word 3, bit 7. */
const NONCE = 3n * 256n + 7n;
const ORDER: OrderTerms = {
  chainId: 1,
  orderHash: hashOf(1),
  reactor: V2,
  // As decoded: EIP-55, with capital letters.
  swapper: SWAPPER.replace('ab', 'AB'),
  nonce: NONCE,
  deadline: DEADLINE,
};

const blockAt = (timestamp: number, number = 50): FinalBlock => ({ number, hash: hashOf(number), timestamp });

const at = (address: string, transaction = 90) => ({
  address: address.toLowerCase(),
  block: 50,
  blockHash: hashOf(50),
  transaction: hashOf(transaction),
});

function fill(
  given: { by?: string; hash?: string; swapper?: string; nonce?: bigint; in?: number } = {},
): OrderLog {
  const { by = V2, hash = ORDER.orderHash, swapper = SWAPPER, nonce = NONCE } = given;
  return { ...at(by, given.in), kind: 'fill', orderHash: hash, filler: OTHER, swapper, nonce };
}

function invalidation(
  given: { by?: string; owner?: string; word?: bigint; mask?: bigint; in?: number } = {},
): OrderLog {
  const { by = PERMIT2, owner = SWAPPER, word = 3n, mask = 1n << 7n } = given;
  return { ...at(by, given.in), kind: 'invalidation', owner, word, mask };
}

const CLEAR: NonceBit = { isSet: false };

/** Set in block 50, of the time 500; the block before it was `clearUntil`. */
const set = (logs: readonly OrderLog[], clearUntil = 499): NonceBit => ({
  isSet: true,
  block: blockAt(clearUntil + 1),
  clearUntil,
  logs,
});

const ELSEWHERE: Ending = {
  status: 'cancelled',
  cause: { kind: 'nonce-used-elsewhere', block: 50 },
  block: blockAt(500),
};
const invalidated = (transaction: number): Ending => ({
  status: 'cancelled',
  cause: { kind: 'invalidated', transaction: hashOf(transaction) },
  block: blockAt(500),
});
const sibling = (orderHash: string, transaction: number): Ending => ({
  status: 'cancelled',
  cause: { kind: 'sibling', orderHash, transaction: hashOf(transaction) },
  block: blockAt(500),
});

const CASES: readonly (readonly [string, FinalBlock, NonceBit, Ending])[] = [
  ['is open while its bit is clear', blockAt(999), CLEAR, { status: 'open' }],
  ['is open in the second of its deadline', blockAt(DEADLINE), CLEAR, { status: 'open' }],
  ['is expired one second later', blockAt(1_001), CLEAR, { status: 'expired', block: blockAt(1_001) }],
  ['is filled by its own Fill', blockAt(900), set([fill()]), { status: 'filled', fill: fill() as never }],
  [
    'is filled in the second of its deadline, however late that is seen',
    blockAt(9_000),
    set([fill()], DEADLINE - 1),
    { status: 'filled', fill: fill() as never },
  ],
  [
    'is filled in a block with fills of others, and an invalidation behind its own',
    blockAt(900),
    set([fill({ hash: hashOf(2), nonce: 9n }), invalidation({ in: 91 }), fill({ in: 92 })]),
    { status: 'filled', fill: fill({ in: 92 }) as never },
  ],
  ['is not filled by what another contract says', blockAt(900), set([fill({ by: OTHER })]), ELSEWHERE],
  ['is not filled by what another reactor says', blockAt(900), set([fill({ by: V1 })]), ELSEWHERE],
  ['is invalidated', blockAt(900), set([invalidation({ in: 91 })]), invalidated(91)],
  [
    'is invalidated with a whole word',
    blockAt(900),
    set([invalidation({ mask: (1n << 256n) - 1n, in: 91 })]),
    invalidated(91),
  ],
  [
    'is not invalidated by a mask without its bit',
    blockAt(900),
    set([invalidation({ mask: 1n << 6n })]),
    ELSEWHERE,
  ],
  ['is not invalidated by another word', blockAt(900), set([invalidation({ word: 2n })]), ELSEWHERE],
  ['is not invalidated by another owner', blockAt(900), set([invalidation({ owner: OTHER })]), ELSEWHERE],
  [
    'is not invalidated by what another contract says',
    blockAt(900),
    set([invalidation({ by: OTHER })]),
    ELSEWHERE,
  ],
  [
    'lost its nonce to a sibling',
    blockAt(900),
    set([fill({ hash: hashOf(2), in: 93 })]),
    sibling(hashOf(2), 93),
  ],
  [
    'lost its nonce to a sibling on an old reactor',
    blockAt(900),
    set([fill({ hash: hashOf(2), by: OLD_V1, in: 93 })]),
    sibling(hashOf(2), 93),
  ],
  [
    'lost its nonce to a sibling, whose filler let the swapper invalidate it as well before the Fill',
    blockAt(900),
    set([invalidation({ in: 93 }), fill({ hash: hashOf(2), in: 93 })]),
    sibling(hashOf(2), 93),
  ],
  [
    'lost its nonce to a relay order',
    blockAt(900),
    set([fill({ hash: hashOf(2), by: RELAY, in: 93 })]),
    sibling(hashOf(2), 93),
  ],
  ['has no sibling in another nonce', blockAt(900), set([fill({ hash: hashOf(2), nonce: 8n })]), ELSEWHERE],
  [
    'has no sibling of another swapper',
    blockAt(900),
    set([fill({ hash: hashOf(2), swapper: OTHER })]),
    ELSEWHERE,
  ],
  [
    'has no sibling by an unknown contract',
    blockAt(900),
    set([fill({ hash: hashOf(2), by: OTHER })]),
    ELSEWHERE,
  ],
  ['lost its nonce elsewhere', blockAt(900), set([]), ELSEWHERE],
  [
    'is cancelled if the block before was of the second of its deadline',
    blockAt(9_000),
    set([invalidation({ in: 91 })], DEADLINE),
    { ...invalidated(91), block: blockAt(1_001) } as Ending,
  ],
  [
    'had expired if the block before was later than its deadline',
    blockAt(9_000),
    set([invalidation({ in: 91 })], DEADLINE + 1),
    { status: 'expired', block: blockAt(1_002) },
  ],
];

describe('an order', () => {
  it.each(CASES)('%s', (_, finalized, bit, ending) => {
    expect(endingOf(ORDER, finalized, bit)).toEqual(ending);
  });
});

const topicOf = (address: string): string => `0x${'0'.repeat(24)}${address.slice(2)}`;
const word = (value: bigint): string => value.toString(16).padStart(64, '0');

describe('logs', () => {
  const fillLog = {
    ...at(V2),
    topics: [ORDER_TOPICS.fill, ORDER.orderHash, topicOf(OTHER), topicOf(SWAPPER)],
    data: `0x${word(NONCE)}`,
  };
  const invalidationLog = {
    ...at(PERMIT2),
    topics: [ORDER_TOPICS.invalidation, topicOf(SWAPPER)],
    data: `0x${word(3n)}${word(1n << 7n)}`,
  };

  it('have the topics that are published', () => {
    expect(ORDER_TOPICS).toEqual({
      fill: '0x78ad7ec0e9f89e74012afa58738b6b661c024cb0fd185ee2f616c0a28924bd66',
      relay: '0xbdc51d356193695661ad4ba75c0bfa57f277fdefd271d6267cf74dc93f1c86d3',
      invalidation: '0x3704902f963766a4e561bbaab6e6cdc1b1dd12f6e9e99648da8843b3f46b918d',
    });
  });

  it('are read', () => {
    expect(readOrderLog(fillLog)).toEqual(fill());
    const relayLog = { ...fillLog, ...at(RELAY), topics: [ORDER_TOPICS.relay, ...fillLog.topics.slice(1)] };
    expect(readOrderLog(relayLog)).toEqual(fill({ by: RELAY }));
    expect(readOrderLog(invalidationLog)).toEqual(invalidation());
  });

  it.each([
    ['a Fill with its nonce indexed', { ...fillLog, topics: [...fillLog.topics, hashOf(1)], data: '0x' }],
    ['a Fill without a nonce', { ...fillLog, data: '0x' }],
    ['a Fill with more data', { ...fillLog, data: `${fillLog.data}00` }],
    ['a Fill without a swapper', { ...fillLog, topics: fillLog.topics.slice(0, 3) }],
    ['an invalidation without an owner', { ...invalidationLog, topics: [ORDER_TOPICS.invalidation] }],
    ['an invalidation without a mask', { ...invalidationLog, data: `0x${word(3n)}` }],
    ['another event', { ...fillLog, topics: [hashOf(3), ...fillLog.topics.slice(1)] }],
  ])('%s is not read', (_, log) => {
    expect(readOrderLog(log)).toBeUndefined();
  });
});
