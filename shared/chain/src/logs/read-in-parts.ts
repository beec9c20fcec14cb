import { RangeTooLarge, type BlockRange } from './block-range.ts';
import type { RangeSizer } from './range-sizer.ts';

/**
 * Reads a range of blocks, in parts if the node requires it; the sizer learns from each part.
 * @param read reads a part; throws RangeTooLarge where the node requires smaller ones
 * @returns the parts in order
 */
export async function readInParts<T extends { readonly count: number }>(
  range: BlockRange,
  sizer: RangeSizer,
  read: (part: BlockRange) => Promise<T>,
): Promise<readonly T[]> {
  const parts: T[] = [];
  let step = range.to - range.from + 1;
  let wasRefused = false;
  for (let from = range.from; from <= range.to;) {
    const part = { from, to: Math.min(range.to, from + step - 1) };
    const blocks = part.to - part.from + 1;
    try {
      const reading = await read(part);
      if (wasRefused) sizer.limit(step);
      wasRefused = false;
      sizer.answered(blocks, reading.count);
      parts.push(reading);
      from = part.to + 1;
    } catch (error) {
      if (!(error instanceof RangeTooLarge)) throw error;
      wasRefused = true;
      step = Math.max(1, error.proposed ?? Math.floor(blocks / 2));
    }
  }
  return parts;
}
