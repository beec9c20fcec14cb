/** A block header's `logsBloom`: it rules out that an event is in the block, or hints that it is. */
import { keccak } from '@hindsight/chain/keccak.ts';
import { dataToBytes } from '@hindsight/chain/rpc/hex.ts';

/**
 * False if a topic or an address is certainly not in a bloom of 256 bytes; true if it may be. Its hash names three bits
 * (yellow paper, section 4.4.3).
 */
export function mayHold(bloom: Uint8Array, value: string): boolean {
  const hash = keccak(dataToBytes(value));
  return [0, 2, 4].every((i) => {
    const bit = ((hash[i]! << 8) | hash[i + 1]!) & 2047;
    return ((bloom[255 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0;
  });
}
