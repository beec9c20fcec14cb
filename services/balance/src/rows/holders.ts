/** The holders that the rows of a body name. */
import { bytesOf, MAX_ROW_BYTES, type RawRow, type RowFault } from '@hindsight/api/body-rows.ts';
import { firstCell, trimBlanks } from '@hindsight/api/csv-cell.ts';
import { readAddressBytes } from '@hindsight/chain/address.ts';
import { readAccount } from '@hindsight/chain/params.ts';
import type { CodeOf } from '@hindsight/kernel/error-codes.ts';
import { errorBody, type ErrorBody } from '@hindsight/kernel/errors.ts';
import { isAscii } from 'node:buffer';
import type { AccountRef } from '../domain/account.ts';

/** Format of a body's rows. */
export type BodyType = 'text/plain' | 'text/csv' | 'application/x-ndjson';

/** A row of a snapshot: its holder, or what is wrong with it. */
export interface HolderRow {
  readonly line: number;
  /** The beginning of what was given, where it is no address; empty otherwise. */
  readonly given: string;
  readonly holder: AccountRef | ErrorBody;
}

/** Characters of a holder: twice the longest ENS name. */
const MAX_HOLDER = 512;
const TOO_LONG = `holder: it is longer than ${MAX_HOLDER} characters; expected an address or an ENS name`;
/** Commas and opening brackets of a line of NDJSON: an export with its other columns. */
const MAX_JSON_MARKS = 100;
const MAX_ECHO = 256;
const QUOTE = 0x22;
const FAULTS: Readonly<Record<RowFault, string>> = {
  'too long': `the line is longer than ${MAX_ROW_BYTES} bytes`,
  'open quote': 'its cell begins with a quote that is never closed',
};
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const NDJSON_EXPECTED = 'expected a JSON string, or an object with the field holder';

/** Reads the holder of a row. Nothing that is kept holds the row's text. */
export function readHolder(type: BodyType, raw: RawRow): HolderRow {
  const { line, part, from, end } = raw;
  const address = type === 'application/x-ndjson' ? inQuotes(raw) : readAddressBytes(part, from, end);
  if (address !== undefined) return { line, given: '', holder: { address } };
  const text = textOf(raw);
  if (typeof text !== 'string') return { line, given: '', holder: text };
  const given =
    type === 'application/x-ndjson'
      ? holderInJson(text)
      : type === 'text/csv'
        ? firstCell(text)
        : trimBlanks(text);
  if (typeof given !== 'string') return { line, given: echo(text), holder: given };
  if (given.length > MAX_HOLDER) return { line, given: echo(given), holder: wrong(TOO_LONG) };
  const read = readAccount(given);
  if ('fault' in read) return { line, given: echo(given), holder: wrong(`holder: ${read.fault}`) };
  return { line, given: 'name' in read ? echo(given) : '', holder: read };
}

/** No `Error`: its stack would cost as much as the rest of a row. */
function wrong(message: string, code: CodeOf<400> = 'invalid_parameter'): ErrorBody {
  return errorBody(code, message);
}

/** The address between a row's quotes, if it has them: in a JSON string it has no escapes. */
function inQuotes({ part, from, end }: RawRow): string | undefined {
  const isQuoted = part[from] === QUOTE && part[end - 1] === QUOTE;
  return isQuoted ? readAddressBytes(part, from + 1, end - 1) : undefined;
}

/** A copy: a slice would keep all of the text alive. */
function echo(text: string): string {
  const beginning = Buffer.from(text.slice(0, MAX_ECHO)).toString();
  return text.length > MAX_ECHO ? `${beginning}…` : beginning;
}

/** The text of a row, or why it has none. */
function textOf(raw: RawRow): string | ErrorBody {
  if (raw.fault !== undefined) return wrong(`holder: ${FAULTS[raw.fault]}`, 'invalid_body');
  const bytes = bytesOf(raw);
  if (isAscii(bytes)) return bytes.toString('latin1');
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return wrong('holder: the line is not valid UTF-8', 'invalid_body');
  }
}

function holderInJson(text: string): string | ErrorBody {
  let row: unknown;
  // Beforehand, as the parser's time grows with them and not with the line.
  if (!/^[ \t]*["{]/.test(text)) return wrong(`holder: ${NDJSON_EXPECTED}`, 'invalid_body');
  if (hasMoreMarks(text))
    return wrong(
      `holder: the line has more than ${MAX_JSON_MARKS} values; ${NDJSON_EXPECTED}`,
      'invalid_body',
    );
  try {
    row = JSON.parse(text);
  } catch {
    return wrong(`holder: the line is not valid JSON; ${NDJSON_EXPECTED}`, 'invalid_body');
  }
  if (typeof row === 'string') return row;
  if (typeof row === 'object' && row !== null && !Array.isArray(row)) {
    const { holder } = row as { holder?: unknown };
    if (typeof holder === 'string') return holder;
    if (holder === undefined) return wrong('holder is required', 'missing_parameter');
  }
  return wrong(`holder: ${NDJSON_EXPECTED}`, 'invalid_body');
}

function hasMoreMarks(text: string): boolean {
  let marks = 0;
  for (let at = 0; at < text.length && marks <= MAX_JSON_MARKS; at++) {
    const character = text[at];
    if (character === ',' || character === '[' || character === '{') marks += 1;
  }
  return marks > MAX_JSON_MARKS;
}
