import { describe, expect, it } from '@jest/globals';
import { AbiCoder } from 'ethers';
import fc from 'fast-check';
import { TOPICS, transferredIds } from './token-events.ts';

const abi = AbiCoder.defaultAbiCoder();
const uint = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });

function idsOf(topic: string, data: string): bigint[] {
  const log = { address: '', block: 0, blockHash: '', transactionHash: '' };
  return [...transferredIds({ ...log, topics: [topic], data: Buffer.from(data.slice(2), 'hex') })];
}

describe('the ids that an ERC-1155 transfer names', () => {
  it('are those that were encoded', () => {
    fc.assert(
      fc.property(fc.array(uint, { maxLength: 20 }), uint, (ids, value) => {
        const values = ids.map(() => value);
        expect(idsOf(TOPICS.batch, abi.encode(['uint256[]', 'uint256[]'], [ids, values]))).toEqual(ids);
        expect(idsOf(TOPICS.single, abi.encode(['uint256', 'uint256'], [value, 1]))).toEqual([value]);
      }),
      { seed: 1 },
    );
  });

  it('are no more than there is data for', () => {
    fc.assert(
      fc.property(fc.array(uint, { maxLength: 6 }), fc.nat({ max: 31 }), (words, cut) => {
        const data = abi
          .encode(
            words.map(() => 'uint256'),
            words,
          )
          .slice(0, -cut || undefined);
        for (const topic of [TOPICS.single, TOPICS.batch])
          expect(idsOf(topic, data).length).toBeLessThanOrEqual(words.length);
      }),
      { seed: 1 },
    );
    const [offset, count, id] = [32n, 2n ** 255n, 7n];
    expect(idsOf(TOPICS.batch, abi.encode(Array(3).fill('uint256'), [offset, count, id]))).toEqual([7n]);
  });

  it('are none of other events', () => {
    expect(idsOf(TOPICS.transfer, abi.encode(['uint256', 'uint256'], [1, 2]))).toEqual([]);
  });
});
