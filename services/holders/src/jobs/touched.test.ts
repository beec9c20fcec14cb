import { describe, expect, it } from '@jest/globals';
import { ETHER_LOGS, TOPICS } from '@hindsight/chain/tokens/token-events.ts';
import { PERMIT2, PERMIT2_TOPICS } from '@hindsight/chain/tokens/permit2.ts';
import type { RawLog } from '@hindsight/indexing/range-reading.ts';
import { ALL_TOKENS } from '../domain/tracks.ts';
import { touchedBy } from './touched.ts';

const TOKEN = `0x${'1a'.repeat(20)}`;
const [FROM, TO, OPERATOR] = [`0x${'2b'.repeat(20)}`, `0x${'3c'.repeat(20)}`, `0x${'4d'.repeat(20)}`];
const word = (value: string | bigint): string =>
  (typeof value === 'bigint' ? value.toString(16) : value.slice(2)).padStart(64, '0');
const topic = (address: string): string => `0x${word(address)}`;

const log = (
  topics: readonly string[],
  data: readonly (string | bigint)[] = [],
  address = TOKEN,
): RawLog => ({
  address,
  topics,
  data: `0x${data.map(word).join('')}`,
});

function touched(...logs: readonly RawLog[]) {
  const { found, take } = touchedBy(ALL_TOKENS).start();
  for (const one of logs) take(one, { number: 7, hash: '0x' });
  return found.points.map(({ holder, id }) => [holder, id]);
}

describe('what an event touches', () => {
  it('is the sender and the receiver of a transfer, wherever the event has them', () => {
    const both = [
      [FROM, null],
      [TO, null],
    ];
    expect(touched(log([TOPICS.transfer, topic(FROM), topic(TO)], [5n]))).toEqual(both);
    expect(touched(log([TOPICS.transfer, topic(FROM), topic(TO), topic(FROM)]))).toEqual(both);
    expect(touched(log([TOPICS.transfer], [FROM, TO, 5n]))).toEqual(both);
    expect(touched(log([TOPICS.transfer, topic(FROM)], [TO, 5n]))).toEqual(both);
  });

  it('is who wraps and unwraps ether', () => {
    expect(touched(log([TOPICS.deposit, topic(FROM)], [5n]))).toEqual([[FROM, null]]);
    expect(touched(log([TOPICS.withdrawal], [TO, 5n]))).toEqual([[TO, null]]);
  });

  it('is both accounts of an ERC-1155 transfer, for each id, and not its operator', () => {
    const topics = [topic(OPERATOR), topic(FROM), topic(TO)];
    expect(touched(log([TOPICS.single, ...topics], [9n, 1n]))).toEqual([
      [FROM, 9n],
      [TO, 9n],
    ]);
    const data = [64n, 160n, 2n, 1n, 2n ** 256n - 1n, 2n, 5n, 6n];
    const ids = [1n, 2n ** 256n - 1n];
    expect(touched(log([TOPICS.batch, ...topics], data))).toEqual(
      [FROM, TO].flatMap((holder) => ids.map((id) => [holder, id])),
    );
  });

  it('is kept once a block', () => {
    const transfer = log([TOPICS.transfer, topic(FROM), topic(TO)], [5n]);
    expect(touched(transfer, transfer)).toHaveLength(2);
    const { found, take } = touchedBy(ALL_TOKENS).start();
    const topics = [topic(OPERATOR), topic(FROM), topic(TO)];
    const batch = log([TOPICS.batch, ...topics], [64n, 192n, 3n, 1n, 1n, 2n, 0n]);
    for (const number of [7, 7, 8]) for (const one of [transfer, batch]) take(one, { number, hash: '0x' });
    expect(found.points).toHaveLength(2 * (2 + 4));
  });

  it('is owner and spender of an approval, and the operator of all of an owner’s tokens, where all tokens are indexed', () => {
    const named = [topic(FROM), topic(TO)];
    const { found, take } = touchedBy(ALL_TOKENS).start();
    const events = [
      ...[log([TOPICS.approval, ...named], [5n]), log([TOPICS.approval, ...named], [0n])],
      ...[log([TOPICS.approvalForAll, ...named], [1n]), log([TOPICS.approval, ...named, topic(FROM)])],
      log([TOPICS.approval], [FROM, TO, 5n]),
      log([PERMIT2_TOPICS[0]!, topic(FROM), topic(TOKEN), topic(TO)], [5n, 6n], PERMIT2),
      log([PERMIT2_TOPICS[3]!, topic(FROM)], [OPERATOR, TO], PERMIT2),
      // Of another contract.
      log([PERMIT2_TOPICS[3]!, topic(FROM)], [OPERATOR, TO]),
    ];
    for (const event of events) take(event, { number: 7, hash: '0x' });
    const pair = { token: TOKEN, owner: FROM, spender: TO, block: 7 };
    expect(found).toMatchObject({
      points: [],
      approvals: [
        { ...pair, kind: 'token' },
        { ...pair, kind: 'operator' },
        { ...pair, kind: 'permit2' },
        { ...pair, token: OPERATOR, kind: 'permit2' },
      ],
    });
    expect(touchedBy(TOKEN).topics).not.toContain(TOPICS.approval);
  });

  it('is nothing of ether’s transfers, and of words that are no addresses', () => {
    expect(touched(log([TOPICS.transfer, topic(FROM), topic(TO)], [5n], ETHER_LOGS))).toEqual([]);
    expect(touched(log([TOPICS.transfer], []))).toEqual([]);
    expect(touched(log([TOPICS.transfer], [2n ** 255n, 2n ** 200n, 1n]))).toEqual([]);
    expect(touched(log([TOPICS.batch, topic(OPERATOR), topic(FROM), topic(TO)], [2n ** 255n, 0n]))).toEqual(
      [],
    );
  });

  it('refuses malformed logs', () => {
    const good = log([TOPICS.transfer, topic(FROM), topic(TO)], [5n]);
    for (const fields of [{ address: '0x1a' }, { address: undefined }, { data: '0x1' }, { data: undefined }])
      expect(() => touched({ ...good, ...fields })).toThrow(TypeError);
    expect(() => touched({ ...good, topics: [TOPICS.transfer, '0x12'] })).toThrow(TypeError);
  });
});
