import { wordsOf } from '../words.ts';

/** What a cosigner has signed beside the order's hash. */
export interface Cosigned {
  readonly cosigner: string;
  readonly cosignature: string;
  /** ABI-encoded cosigner data: hexadecimal digits without 0x. */
  readonly data: string;
  /** Whether the digest has the chain's id in it. */
  readonly bindsChain: boolean;
  /** Whether an order may do without a cosigner; its cosigner data must then be empty. */
  readonly optional: boolean;
  /** Whether there is no cosigner data. */
  readonly empty: boolean;
}

/** Cosigner data of the Dutch versions: what is fixed, and at the end an amount for each output. */
interface DutchCosignerData {
  readonly fixed: readonly (bigint | string)[];
  readonly outputOverrides: readonly bigint[];
}

/** The cosigner of a Dutch order, which every such order must have. */
export function dutchCosigned(
  { fixed, outputOverrides }: DutchCosignerData,
  said: Pick<Cosigned, 'cosigner' | 'cosignature' | 'bindsChain'>,
): Cosigned {
  // One dynamic tuple: the offset of what it holds; in it the fixed members, the list's offset, its length, its items.
  const offset = BigInt((fixed.length + 1) * 32);
  const length = BigInt(outputOverrides.length);
  const data = wordsOf([32n, ...fixed, offset, length, ...outputOverrides]);
  return { ...said, data, optional: false, empty: false };
}
