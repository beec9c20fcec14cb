import { describe, expect, it } from '@jest/globals';
import { ALL_TOKENS, MAX_TOKENS, readTracks } from './tracks.ts';

const address = (i: number): string => `0x${i.toString(16).padStart(40, '0')}`;

describe('INDEX_TOKENS', () => {
  it('is all, or addresses in any case, each once', () => {
    expect(readTracks('all')).toEqual([ALL_TOKENS]);
    expect(readTracks('')).toEqual([]);
    expect(
      readTracks(` ${address(0xab).toUpperCase().replace('0X', '0x')},\n${address(0xab)} ${address(1)}`),
    ).toEqual([address(0xab), address(1)]);
  });

  it('is refused where it is anything else, or too long', () => {
    expect(readTracks('all,0x12')).toMatch(/^all is no address/);
    expect(readTracks('0x12')).toMatch(/^0x12 is no address/);
    const tooMany = Array.from({ length: MAX_TOKENS + 1 }, (_, i) => address(i)).join(',');
    expect(readTracks(tooMany)).toMatch(/101 tokens; expected 100 at the most, or all/);
  });
});
