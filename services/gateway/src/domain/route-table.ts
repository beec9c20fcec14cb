/** The operations that the gateway lets through: those that a service behind it answers. */
import { ALL_OPERATIONS, type Operation, type ServiceName } from '@hindsight/api/operations.ts';

/** A service behind the gateway. */
export type UpstreamName = Exclude<ServiceName, 'gateway'>;

/** An operation that is passed on. */
export type PassedOperation = Operation & { readonly service: UpstreamName };

/** All of them. */
export const PASSED_OPERATIONS: readonly PassedOperation[] = ALL_OPERATIONS.filter(
  (operation): operation is PassedOperation => operation.service !== 'gateway',
);
