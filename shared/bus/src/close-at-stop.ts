import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import type { Subscription } from './port.ts';

/**
 * Closes subscriptions when the process stops, all at once; one that has not joined its group by then ends with the bus.
 * @param name of the part that subscribes, for operators
 */
export function closeAtStop(
  lifecycle: Lifecycle,
  name: string,
  joining: readonly Promise<Subscription>[],
): void {
  const open: Subscription[] = [];
  for (const joined of joining) {
    joined.then(
      (subscription) => open.push(subscription),
      (err: unknown) => lifecycle.logger.error({ err }, `${name}: could not subscribe`),
    );
  }
  lifecycle.onStop(name, () => Promise.all(open.map((subscription) => subscription.close())));
}
