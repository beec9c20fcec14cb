/** The server and the client's verifier know the same places of amounts. */
import { expect, it } from '@jest/globals';
import { findPlace, keyAt, type SlotPlace } from '@hindsight/chain/proofs/slot-places.ts';
import { rounds } from '@hindsight/kernel/test/support/rounds.ts';
import { getBytes, toBeHex } from 'ethers';
import { explainKey } from '../../clients/typescript/src/verify/layouts.ts';

const OPEN_ZEPPELIN = 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00n;
/** Mappings that both know are the first 256, and each is found among all of them: some from end to end. */
const COUNT = rounds(16);
const INDEXES = Array.from({ length: COUNT }, (_, i) => BigInt(Math.round((i * 255) / (COUNT - 1))));
const ACCOUNTS = [`0x${'3a'.repeat(20)}`, `0x${'c5'.repeat(20)}`];

it.each([1, 2])('places of an entry with %d accounts are known to both', (count) => {
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
});

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

it('with a known index an amount is of that place alone', () => {
  const [holder] = ACCOUNTS.map((account) => getBytes(account));
  const key = (place: SlotPlace): Uint8Array => getBytes(keyAt(place, ACCOUNTS.slice(0, 1)));
  expect(explainKey(key({ layout: 'solidity', index: 5n }), [holder!], 5n)).toMatchObject({ index: 5n });
  expect(explainKey(key({ layout: 'solidity', index: 5n }), [holder!], 6n)).toBeUndefined();
  expect(explainKey(key({ layout: 'solady' }), [holder!], 5n)).toBeUndefined();
});

it('a supply is known where it is a plain variable, or at its place of a library', () => {
  const key = (slot: bigint): Uint8Array => getBytes(toBeHex(slot, 32));
  const solady = 0x05345cdf77eb68f44cn;
  expect(explainKey(key(solady), [])).toEqual({ layout: 'solady', index: null });
  expect(explainKey(key(solady), [], 2n)).toBeUndefined();
  for (const index of [0n, 255n, OPEN_ZEPPELIN + 2n])
    expect(explainKey(key(index), [])).toEqual({ layout: 'variable', index });
  for (const other of [256n, OPEN_ZEPPELIN, OPEN_ZEPPELIN + 3n])
    expect(explainKey(key(other), [])).toBeUndefined();
  expect(explainKey(key(1_000n), [], 1_000n)).toEqual({ layout: 'variable', index: 1_000n });
  expect(explainKey(key(2n), [], 3n)).toBeUndefined();
});
