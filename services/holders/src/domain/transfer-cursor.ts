/** The cursor of the next page of transfers. */

/** The last row of a page: the next one goes on after it. */
export interface TransferCursor {
  readonly block: number;
  readonly logIndex: number;
  /** Of the movements of one event. */
  readonly part: number;
  /** The hash of the last block of the question. */
  readonly to: string;
  /** Of the question: a cursor continues no other. */
  readonly mark: string;
}

const CURSOR = /^(\d{1,15})\.(\d{1,10})\.(\d{1,10})\.(0x[0-9a-f]{64})\.([0-9a-f]{16})$/;

/** Longer than any. */
export const MAX_CURSOR = 200;

export function writeCursor({ block, logIndex, part, to, mark }: TransferCursor): string {
  return Buffer.from([block, logIndex, part, to, mark].join('.')).toString('base64url');
}

/** Reads a cursor; undefined where it is none. */
export function readCursor(text: string): TransferCursor | undefined {
  const [, block, logIndex, part, to, mark] =
    CURSOR.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (to === undefined || mark === undefined) return undefined;
  return { block: Number(block), logIndex: Number(logIndex), part: Number(part), to, mark };
}
