import type { Ids } from '@hindsight/kernel/ids.ts';

const SANE = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/** The caller's `x-request-id` if it is short and of plain characters, else a new id. */
export function requestId(header: string | string[] | undefined, ids: Ids): string {
  return typeof header === 'string' && SANE.test(header) ? header : ids.next();
}
