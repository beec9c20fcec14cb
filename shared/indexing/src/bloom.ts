/** A block header's `logsBloom`: it rules out that an event is in the block, or hints that it is. */
import { keccak256 } from 'ethers/crypto';
import { getBytes } from 'ethers/utils';

/**
 * Position of a topic's three bits (yellow paper, section 4.4.3): byte offset and mask, in the bloom's 256
 * bytes.
 */
type Bits = readonly { readonly at: number; readonly mask: number }[];

/** The bits of a topic or an address. */
export function bloomBits(value: string): Bits {
  const hash = getBytes(keccak256(value));
  return [0, 2, 4].map((i) => {
    const bit = (((hash[i] ?? 0) << 8) | (hash[i + 1] ?? 0)) & 2047;
    return { at: 255 - (bit >> 3), mask: 1 << (bit & 7) };
  });
}

/** False if a value is certainly not in a bloom; true if it may be. */
export function mayHold(bloom: Uint8Array, bits: Bits): boolean {
  return bits.every(({ at, mask }) => ((bloom[at] ?? 0) & mask) !== 0);
}
