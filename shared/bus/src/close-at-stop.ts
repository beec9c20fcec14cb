import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import type { Subscription } from './port.ts';

/**
 * Closes subscriptions when the process stops, all at once; one that has not joined its group by then ends with the bus.
 * @param name of the part that subscribes, for operators
 * @param patienceMs the longest wait for them; what a late one has not acknowledged is delivered again
 */
export function closeAtStop(
  lifecycle: Lifecycle,
  name: string,
  joining: readonly Promise<Subscription>[],
  patienceMs = Infinity,
): void {
  const open: Subscription[] = [];
  for (const joined of joining) {
    joined.then(
      (subscription) => open.push(subscription),
      (err: unknown) => lifecycle.logger.error({ err }, `${name}: could not subscribe`),
    );
  }
  const closeAll = () => Promise.all(open.map((subscription) => subscription.close()));
  lifecycle.onStop(name, closeAll, patienceMs);
}
