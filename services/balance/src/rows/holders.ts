/** The holders that the rows of a body name. */
import { readAccount } from '@hindsight/chain/params.ts';
import { badRequest, type ApiError } from '@hindsight/kernel/errors.ts';
import type { AccountRef } from '../domain/account.ts';
import { firstCell, trimBlanks, type BodyRow } from './body-lines.ts';

/** How the rows of a body are written. */
export type BodyType = 'text/plain' | 'text/csv' | 'application/x-ndjson';

/** A row of a snapshot: its holder, or what is wrong with it. */
export interface HolderRow {
  readonly line: number;
  /** What was given for the holder, as far as it can be read. */
  readonly given: string;
  readonly holder: AccountRef | ApiError;
}

const NDJSON_EXPECTED = 'expected a JSON string, or an object with the field holder';

/** Reads the holder of a row. */
export function readHolder(type: BodyType, { line, text, fault }: BodyRow): HolderRow {
  if (text === undefined) return { line, given: '', holder: badRequest(`holder: ${fault}`, 'invalid_body') };
  const given = type === 'application/x-ndjson' ? holderInJson(text) : textOf(type, text);
  if (typeof given !== 'string') return { line, given: text, holder: given };
  const read = readAccount(given);
  return { line, given, holder: 'fault' in read ? badRequest(`holder: ${read.fault}`) : read };
}

function textOf(type: BodyType, text: string): string {
  return type === 'text/csv' ? firstCell(text) : trimBlanks(text);
}

function holderInJson(text: string): string | ApiError {
  let row: unknown;
  try {
    row = JSON.parse(text);
  } catch {
    return badRequest(`holder: the line is not valid JSON; ${NDJSON_EXPECTED}`, 'invalid_body');
  }
  if (typeof row === 'string') return row;
  if (typeof row === 'object' && row !== null && !Array.isArray(row)) {
    const { holder } = row as { holder?: unknown };
    if (typeof holder === 'string') return holder;
    if (holder === undefined) return badRequest('holder is required', 'missing_parameter');
  }
  return badRequest(`holder: ${NDJSON_EXPECTED}`, 'invalid_body');
}
