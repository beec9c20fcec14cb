import { describe, expect, it } from '@jest/globals';
import { joinParts, partOf, trackOfPart } from './track-parts.ts';

const HASH = '0x01';
const part = (track: string, from: number, number: number) => ({ track, from, number, hash: HASH });

describe('the parts of a track', () => {
  it('are named after it and their first block', () => {
    expect(trackOfPart(partOf('*', 5))).toBe('*');
    expect(trackOfPart('0xab')).toBe('0xab');
  });

  it('are nothing without the track', () => {
    expect(joinParts('*', [part('* from 5', 5, 9)])).toBeNull();
  });

  it('are where it begins once each meets what follows it, in any order', () => {
    const track = part('*', 100, 200);
    const joined = (...parts: readonly ReturnType<typeof part>[]) => joinParts('*', [track, ...parts]);
    expect(joined()).toEqual({ from: 100, number: 200, hash: HASH });
    expect(joined(part('* from 50', 50, 98))).toMatchObject({ from: 100 });
    expect(joined(part('* from 50', 50, 99))).toMatchObject({ from: 50, number: 200 });
    expect(joined(part('* from 20', 20, 49), part('* from 50', 50, 99))).toMatchObject({ from: 20 });
    expect(joined(part('* from 20', 20, 48), part('* from 50', 50, 99))).toMatchObject({ from: 50 });
    expect(joined(part('* from 20', 20, 49), part('* from 50', 50, 98))).toMatchObject({ from: 100 });
    expect(joined(part('* from 70', 70, 99), part('* from 50', 50, 99))).toMatchObject({ from: 50 });
  });
});
