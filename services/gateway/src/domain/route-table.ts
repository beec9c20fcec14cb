/** Every public route, and the service that answers it: the one place that lists the gateway's routes. */
import { ALL_OPERATIONS, type Operation, type ServiceName } from '@hindsight/api/operations.ts';

/** A service behind the gateway. */
export type UpstreamName = Exclude<ServiceName, 'gateway'>;

/** An operation that is passed on. */
export type PassedOperation = Operation & { readonly service: UpstreamName };

/** All of them. */
export const PASSED_OPERATIONS: readonly PassedOperation[] = ALL_OPERATIONS.filter(
  (operation): operation is PassedOperation => operation.service !== 'gateway',
);
