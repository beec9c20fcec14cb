import { wordsOf } from '../words.ts';

/** A cosigner's part in an order. */
export interface Cosigned {
  readonly cosigner: string;
  readonly cosignature: string;
  /** ABI-encoded cosigner data: hexadecimal digits without 0x. */
  readonly data: string;
  /** True if the digest contains the chain's id. */
  readonly bindsChain: boolean;
  /** True if an order needs no cosigner; its cosigner data must then be empty. */
  readonly optional: boolean;
  /** True if there is no cosigner data. */
  readonly empty: boolean;
}

/** Cosigner data of the Dutch versions: fixed members, then an amount for each output. */
interface DutchCosignerData {
  readonly fixed: readonly (bigint | string)[];
  readonly outputOverrides: readonly bigint[];
}

/** The cosigner of a Dutch order, which every such order must have. */
export function dutchCosigned(
  { fixed, outputOverrides }: DutchCosignerData,
  said: Pick<Cosigned, 'cosigner' | 'cosignature' | 'bindsChain'>,
): Cosigned {
  // One dynamic tuple: its offset, then its fixed members, the list's offset, its length, its items.
  const offset = BigInt((fixed.length + 1) * 32);
  const length = BigInt(outputOverrides.length);
  const data = wordsOf([32n, ...fixed, offset, length, ...outputOverrides]);
  return { ...said, data, optional: false, empty: false };
}
