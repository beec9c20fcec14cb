/** In which blocks logs were searched for what is asked about. */
export interface SearchedBlocks {
  /** The first one; the last is the block of the answer. */
  readonly fromBlock: number;
  /** Whether no block before that is left out. */
  readonly complete: boolean;
}
