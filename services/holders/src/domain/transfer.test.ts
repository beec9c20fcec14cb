import { describe, expect, it } from '@jest/globals';
import { TOPICS } from '@hindsight/chain/tokens/token-events.ts';
import { ZeroAddress } from 'ethers';
import fc from 'fast-check';
import { holdersIn } from './holder-events.ts';
import { movementsIn, type Standard } from './transfer.ts';

const word = (value: number | bigint): string => `0x${value.toString(16).padStart(64, '0')}`;
const bytes = (...words: readonly (number | bigint)[]): Buffer =>
  Buffer.from(words.map((one) => word(one).slice(2)).join(''), 'hex');
const account = (value: number): string => `0x${value.toString(16).padStart(40, '0')}`;

describe('the movements in an event', () => {
  it('are an amount or an id, as the token counts; by the number of topics where that is not known', () => {
    const plain = { topics: [TOPICS.transfer, word(1), word(2)], data: bytes(5) };
    const indexed = { topics: [TOPICS.transfer, word(1), word(2), word(5)], data: bytes() };
    const moved = { event: 'transfer', from: account(1), to: account(2) };
    for (const log of [plain, indexed]) {
      expect(movementsIn(log, 'erc20')).toEqual([{ ...moved, amount: 5n, id: null }]);
      expect(movementsIn(log, 'erc721')).toEqual([{ ...moved, amount: null, id: 5n }]);
    }
    expect(movementsIn(plain, undefined)).toEqual([{ ...moved, amount: 5n, id: null }]);
    expect(movementsIn(indexed, undefined)).toEqual([{ ...moved, amount: null, id: 5n }]);
  });

  it('are one for each id of a batch, as far as there is data', () => {
    const topics = [TOPICS.batch, word(9), word(1), word(2)];
    const whole = movementsIn({ topics, data: bytes(64, 160, 2, 7, 8, 2, 70, 80) }, 'erc1155');
    expect(whole.map(({ id, amount }) => [id, amount])).toEqual([
      [7n, 70n],
      [8n, 80n],
    ]);
    const cut = movementsIn({ topics, data: bytes(64, 160, 2, 7, 8, 2, 70) }, 'erc1155');
    expect(cut.map(({ id, amount }) => [id, amount])).toEqual([
      [7n, 70n],
      [8n, null],
    ]);
    expect(movementsIn({ topics, data: bytes(2n ** 255n, 0) }, 'erc1155')).toEqual([]);
  });

  it('are one for a range of ids of an ERC-721', () => {
    const log = { topics: [TOPICS.consecutive, word(3), word(1), word(2)], data: bytes(9) };
    const moved = { from: account(1), to: account(2), amount: null, id: 3n, lastId: 9n };
    for (const standard of ['erc721', undefined] as const)
      expect(movementsIn(log, standard)).toEqual([{ event: 'consecutive_transfer', ...moved }]);
    for (const other of ['erc20', 'erc1155'] as const) expect(movementsIn(log, other)).toEqual([]);
    expect(movementsIn({ ...log, data: bytes() }, 'erc721')).toMatchObject([{ id: 3n, lastId: null }]);
    expect(movementsIn({ ...log, topics: [TOPICS.consecutive] }, 'erc721')).toEqual([]);
  });

  it('are an assignment of CryptoPunks alone: any contract may have an event of this name', () => {
    const log = { topics: [TOPICS.assign, word(1)], data: bytes(7) };
    const moved = { event: 'assign', from: ZeroAddress, to: account(1), amount: 1n, id: 7n };
    expect(movementsIn(log, 'punks')).toEqual([moved]);
    for (const other of ['erc20', 'erc721', 'erc1155', undefined] as const)
      expect(movementsIn(log, other)).toEqual([]);
  });

  it('are a deposit or a withdrawal of an ERC-20 alone: others, such as wallets, have events of these names', () => {
    const moved = { amount: 5n, id: null };
    const ends = [
      { event: 'deposit', from: ZeroAddress, to: account(1), ...moved },
      { event: 'withdrawal', from: account(1), to: ZeroAddress, ...moved },
    ];
    for (const [i, topic] of [TOPICS.deposit, TOPICS.withdrawal].entries()) {
      const log = { topics: [topic, word(1)], data: bytes(5) };
      expect(movementsIn(log, 'erc20')).toEqual([ends[i]]);
      for (const other of ['erc721', 'erc1155', undefined] as const)
        expect(movementsIn(log, other)).toEqual([]);
    }
  });

  it('name only accounts that the index has, and the zero address, whatever the event holds', () => {
    const topic = fc.oneof(fc.bigInt(0n, 2n ** 256n - 1n), fc.bigInt(0n, 2n ** 160n - 1n)).map(word);
    const event = fc.constantFrom(
      ...[TOPICS.transfer, TOPICS.deposit, TOPICS.withdrawal, TOPICS.single, TOPICS.batch],
      ...[TOPICS.consecutive, TOPICS.assign],
    );
    const standard = fc.constantFrom<Standard | undefined>('erc20', 'erc721', 'erc1155', 'punks', undefined);
    fc.assert(
      fc.property(
        event,
        fc.array(topic, { maxLength: 3 }),
        fc.uint8Array({ maxLength: 200 }),
        standard,
        (first, more, data, type) => {
          const log = { topics: [first, ...more], data: Buffer.from(data) };
          const named = movementsIn(log, type).flatMap(({ from, to }) => [from, to]);
          expect([ZeroAddress, ...holdersIn(log)]).toEqual(expect.arrayContaining(named));
        },
      ),
    );
  });
});
