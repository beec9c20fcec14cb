import { describe, expect, it } from '@jest/globals';
import { KeptBytes } from './kept-bytes.ts';

const bytes = (length: number, from = 0): Buffer =>
  Buffer.from(Array.from({ length }, (_, i) => (from + i) % 251));

function drain(kept: KeptBytes): readonly Buffer[] {
  const parts: Buffer[] = [];
  for (let part = kept.shift(); part !== undefined; part = kept.shift()) parts.push(part);
  return parts;
}

describe('the bytes that are kept of a body', () => {
  it('are joined where they come one by one, in their order', () => {
    const kept = new KeptBytes();
    const all = bytes(100_000);
    for (let at = 0; at < all.length; at++) kept.push(all.subarray(at, at + 1));
    expect(kept.length).toBe(100_000);
    const parts = drain(kept);
    expect(Buffer.concat(parts).equals(all)).toBe(true);
    expect(parts.length).toBeLessThan(10);
    expect(kept.length).toBe(0);
  });

  it('keep their order where large and small parts take turns', () => {
    const kept = new KeptBytes();
    const all = bytes(64 * 5_001);
    for (let at = 0; at < all.length; at += 5_001) {
      kept.push(all.subarray(at, at + 1));
      kept.push(all.subarray(at + 1, at + 5_001));
    }
    const first = kept.shift();
    kept.push(bytes(3));
    expect(Buffer.concat([first!, ...drain(kept)]).equals(Buffer.concat([all, bytes(3)]))).toBe(true);
  });

  it('are none once they are cleared', () => {
    const kept = new KeptBytes();
    kept.push(bytes(10));
    kept.push(bytes(10_000));
    kept.push(bytes(10));
    kept.clear();
    kept.push(bytes(5, 7));
    expect(drain(kept)).toEqual([bytes(5, 7)]);
  });
});
