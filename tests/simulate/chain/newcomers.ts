/** Contracts that send their first transfer as the chain grows. What they are follows from their addresses. */

/** A contract, as its address says. */
export interface Newcomer {
  /** The block in which it is made. */
  readonly block: number;
  readonly isToken: boolean;
  /** Empty at first, where the contract gets its name later. */
  readonly nameAt: (block: number) => string;
}

const PATTERN = /^0x7(\d)(\d{38})$/;
/** Kinds from here on have no name at first; those of the last ones are no tokens. */
const NAMED_LATER = 6;
const NO_TOKEN = 8;
export const KINDS = 10;
/** Blocks until a name is there. */
const NAMED_AFTER = 200;

/** An address without letters, so that it is its own checksum. @param kind a digit */
export function newcomerAddress(kind: number, block: number): string {
  return `0x7${kind}${String(block).padStart(38, '0')}`;
}

/** The contract at an address; undefined if none of these is there. */
export function newcomerAt(address: string): Newcomer | undefined {
  const [, digit, height] = PATTERN.exec(address) ?? [];
  if (digit === undefined) return undefined;
  const [kind, block] = [Number(digit), Number(height)];
  const namedFrom = kind < NAMED_LATER ? block : block + NAMED_AFTER;
  return {
    block,
    isToken: kind < NO_TOKEN,
    nameAt: (at) => (at < namedFrom ? '' : `Token ${block}`),
  };
}
