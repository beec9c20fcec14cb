/** Every public route, and the service that answers it: the one place that lists the gateway's routes. */
import { ALL_OPERATIONS, type Operation, type ServiceName } from '@hindsight/api/operations.ts';

export type UpstreamName = Exclude<ServiceName, 'gateway'>;

export type PassedOperation = Operation & { readonly service: UpstreamName };

/** A kind of answer that lasts: it holds a slot, and its end is waited for when the gateway stops. */
export type LastingKind = 'endless' | 'streams' | 'lists';

/** The kind of an operation's answers; undefined for answers that do not last. */
export function lastingKindOf({ endless, bulk, long }: Operation): LastingKind | undefined {
  if (endless) return 'endless';
  // Its body and its answer pass at the same time.
  if (bulk?.streams) return 'streams';
  return long ? 'lists' : undefined;
}

export const PASSED_OPERATIONS: readonly PassedOperation[] = ALL_OPERATIONS.filter(
  (operation): operation is PassedOperation => operation.service !== 'gateway',
);
