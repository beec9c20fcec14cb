/** The server and the client's verifier know the same places of amounts. */
import { expect, it } from '@jest/globals';
import { findPlace, keyAt, type SlotPlace } from '@hindsight/chain/proofs/slot-places.ts';
import { rounds } from '@hindsight/kernel/test/support/rounds.ts';
import { getBytes } from 'ethers';
import { explainKey } from '../../clients/typescript/src/verify/layouts.ts';

const OPEN_ZEPPELIN = 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00n;
/** Mappings that both know are the first 256, and each is found among all of them: some from end to end. */
const COUNT = rounds(16);
const INDEXES = Array.from({ length: COUNT }, (_, i) => BigInt(Math.round((i * 255) / (COUNT - 1))));
const ACCOUNTS = [`0x${'3a'.repeat(20)}`, `0x${'c5'.repeat(20)}`];

it.each([1, 2])(
  'places of an entry with %d accounts are known to both',
  (count) => {
    const accounts = ACCOUNTS.slice(0, count);
    const namespaced = OPEN_ZEPPELIN + BigInt(count - 1);
    const places: readonly SlotPlace[] = [
      { layout: 'solady' },
      ...[...INDEXES, namespaced].flatMap((index) => [
        { layout: 'solidity', index } as const,
        { layout: 'vyper', index } as const,
      ]),
    ];
    for (const place of places) {
      const key = keyAt(place, accounts);
      expect(findPlace(key, accounts)).toEqual(place);
      expect(
        explainKey(
          getBytes(key),
          accounts.map((account) => getBytes(account)),
        ),
      ).toEqual({ index: null, ...place });
    }
  },
  60_000,
);

it.each([256n, 2n ** 255n])('an entry of the mapping %d is known to neither', (index) => {
  const accounts = ACCOUNTS.slice(0, 1);
  const key = keyAt({ layout: 'solidity', index }, accounts);
  expect(findPlace(key, accounts)).toBeUndefined();
  expect(
    explainKey(
      getBytes(key),
      accounts.map((account) => getBytes(account)),
    ),
  ).toBeUndefined();
});
