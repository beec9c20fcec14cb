import type { FoundByKey } from '@hindsight/projects/ports.ts';
import { mostUnits } from '@hindsight/api/units.ts';
import type { PassedOperation } from '../domain/route-table.ts';

/** An authenticated request that its key permits. */
export interface AuthorizedRequest {
  readonly operation: PassedOperation;
  /** The name that the operation is counted by. */
  readonly endpoint: string;
  /** With the key that the request was sent with. */
  readonly project: FoundByKey;
  /** Without the key. */
  readonly url: string;
  /** Of a body that declares its length; else 0. */
  readonly bodyBytes: number;
  /** Finds the project again. Rejects with an ApiError below 500 once its key is refused. */
  readonly identifyAgain: () => Promise<FoundByKey>;
}

export function mostUnitsOf({ operation: { units }, url, bodyBytes }: AuthorizedRequest): number {
  return units === undefined ? 1 : mostUnits(units, queryOf(url), bodyBytes);
}

/** The query of a URL, without its question mark. */
export function queryOf(url: string): string {
  const at = url.indexOf('?');
  return at === -1 ? '' : url.slice(at + 1);
}
