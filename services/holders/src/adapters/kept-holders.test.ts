import { describe, expect, it } from '@jest/globals';
import type { HoldersQuestion } from '../ports.ts';
import { KeptHolders } from './kept-holders.ts';

const address = (i: number): string => `0x${i.toString(16).padStart(40, '0')}`;
const ALL = Array.from({ length: 9 }, (_, i) => address(i + 1));
const page = (token: number, after: number | undefined): HoldersQuestion => ({
  ...{ track: '*', token: address(token), upTo: 10, limit: 2 },
  after: after === undefined ? undefined : address(after),
});

/** Kept lists over a store, whose reading of a whole list waits for `until`. */
function open(until: () => Promise<void>, mostBytes?: number) {
  let read = 0;
  const kept = new KeptHolders(async function* ({ after = '', limit }) {
    read += 1;
    if (after === '' && limit > ALL.length) await until();
    yield ALL.filter((holder) => holder > after).slice(0, limit);
  }, mostBytes);
  const ask = async (question: HoldersQuestion): Promise<readonly string[]> => {
    const found: string[] = [];
    for await (const part of kept.holders(question)) found.push(...part);
    return found;
  };
  return { kept, ask, reads: () => read };
}

describe('kept lists of holders', () => {
  it('are read once for all further pages, and a first page by itself', async () => {
    const { ask, reads } = open(async () => undefined);
    expect(await ask(page(1, undefined))).toEqual(ALL.slice(0, 2));
    expect(await Promise.all([2, 4, 8, 9].map((after) => ask(page(1, after))))).toEqual([
      ALL.slice(2, 4),
      ALL.slice(4, 6),
      ALL.slice(8),
      [],
    ]);
    expect(reads()).toBe(2);
  });

  it('that are forgotten while they are read answer those who wait, and none after', async () => {
    const packed = Promise.withResolvers<void>();
    const { kept, ask, reads } = open(() => packed.promise);
    const waiting = ask(page(1, 2));
    kept.clear();
    packed.resolve();
    expect(await waiting).toEqual(ALL.slice(2, 4));
    expect(await ask(page(1, 4))).toEqual(ALL.slice(4, 6));
    expect(reads()).toBe(2);
  });

  it('are read again once rows of their blocks were added, and not for those of later ones or other tracks', async () => {
    const { kept, ask, reads } = open(async () => undefined);
    await ask(page(1, 2));
    kept.added('*', 11);
    kept.added('0x', 10);
    await ask(page(1, 4));
    expect(reads()).toBe(1);
    kept.added('*', 10);
    await ask(page(1, 4));
    expect(reads()).toBe(2);
  });

  it('that could not be read are read again', async () => {
    let faults = 1;
    const { ask } = open(async () => {
      if (faults-- > 0) throw new Error('a full disk');
    });
    await expect(ask(page(1, 2))).rejects.toThrow('a full disk');
    expect(await ask(page(1, 2))).toEqual(ALL.slice(2, 4));
  });

  it('are none where a list is longer than what is kept: its pages are read directly', async () => {
    const part = Array<string>(2_000).fill(address(1));
    const kept = new KeptHolders(async function* ({ limit }) {
      if (limit === 2) yield ALL.slice(2, 4);
      else for (let parts = 0; parts < 840; parts++) yield part;
    });
    const found: string[] = [];
    for await (const some of kept.holders(page(1, 2))) found.push(...some);
    expect(found).toEqual(ALL.slice(2, 4));
  });

  it('are whole or not kept: of one that is too long each page is read', async () => {
    for (const [addresses, isKept] of [
      [ALL.length, true],
      [ALL.length - 1, false],
    ] as const) {
      const { ask, reads } = open(async () => undefined, addresses * 20);
      expect(await ask(page(1, 6))).toEqual(ALL.slice(6, 8));
      expect(await ask(page(1, 8))).toEqual(ALL.slice(8));
      expect(reads() === 1).toBe(isKept);
    }
  });

  it('make room for others', async () => {
    const { ask, reads } = open(async () => undefined);
    for (let token = 0; token < 17; token++) await ask(page(token, 2));
    await ask(page(16, 4));
    expect(reads()).toBe(17);
    await ask(page(0, 4));
    expect(reads()).toBe(18);
  });
});
