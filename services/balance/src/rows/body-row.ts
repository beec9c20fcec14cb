import { bytesOf, MAX_ROW_BYTES, type RawRow, type RowFault } from '@hindsight/api/body-rows.ts';
import { isAscii } from 'node:buffer';

/** A row as it was sent. */
export interface BodyRow {
  /** The number of its last line, from 1. */
  readonly line: number;
  /** Undefined where it cannot be read: `fault` says why. */
  readonly text: string | undefined;
  readonly fault?: string;
}

const FAULTS: Readonly<Record<RowFault, string>> = {
  'too long': `the line is longer than ${MAX_ROW_BYTES} bytes`,
  'open quote': 'its cell begins with a quote that is never closed',
};
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of a row, or why it has none. */
export function readRow(raw: RawRow): BodyRow {
  const { line, fault } = raw;
  if (fault !== undefined) return { line, text: undefined, fault: FAULTS[fault] };
  const bytes = bytesOf(raw);
  if (isAscii(bytes)) return { line, text: bytes.toString('latin1') };
  try {
    return { line, text: strictUtf8.decode(bytes) };
  } catch {
    return { line, text: undefined, fault: 'the line is not valid UTF-8' };
  }
}
