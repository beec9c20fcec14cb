import type { components } from '../openapi.ts';
import type { Transport } from '../transport.ts';

/** The plan, the month's limit, and what of it is used. */
export type Usage = components['schemas']['Usage'];

/** The project's usage of this month. Costs nothing. */
export function getUsage(transport: Transport, signal?: AbortSignal): Promise<Usage> {
  return transport.json<Usage>({ path: '/v1/usage', signal });
}
