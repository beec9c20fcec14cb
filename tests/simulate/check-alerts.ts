/** Once everything is counted, the events of alerts are those of the thresholds that the counts have reached. */
import { DEFAULT_THRESHOLDS, unitsAt } from '@hindsight/usage/alerts/thresholds.ts';
import type { Broker } from './broker.ts';
import type { Customers } from './customers.ts';
import { monthAt, MONTHS } from './ledger.ts';
import type { Machine } from './machine/machine.ts';
import type { Store } from './store.ts';

interface Deps {
  readonly machine: Machine;
  readonly store: Store;
  readonly broker: Broker;
  readonly customers: Customers;
  /** False once a clock has jumped: usage may be counted in a month that has not begun for its counter. */
  readonly clocksAgree: boolean;
}

/** Longer than a process that was killed keeps the alerts that it had claimed. */
const WITHIN_MS = 2 * 60_000;
/** Usage of a month that is counted later reaches no threshold. */
const AFTER_MONTH_MS = 3_600_000;

/** @returns the broken promises */
export async function checkAlerts(deps: Deps): Promise<string[]> {
  const { machine, store, broker, customers, clocksAgree } = deps;
  const now = machine.wallClock();
  const certain = new Set(clocksAgree ? [now, now - AFTER_MONTH_MS].map(monthAt) : []);
  const reached = new Set<string>();
  const due = new Set<string>();
  for (const { id, limit } of customers.all) {
    for (const month of MONTHS) {
      const { requests } = await store.ledger.read(id, month);
      for (const threshold of DEFAULT_THRESHOLDS.filter((one) => requests >= unitsAt(one, limit))) {
        const alert = `${id}:${month}:${threshold}`;
        reached.add(alert);
        if (certain.has(month)) due.add(alert);
      }
    }
  }
  const published = (): Set<string> =>
    new Set(broker.recordsOf('usage.threshold').map(({ headers }) => headers.ce_id ?? ''));
  await machine.settle(WITHIN_MS, () => due.isSubsetOf(published()));
  return [
    ...[...due.difference(published())].map((alert) => `the alert ${alert} is not published`),
    ...[...published().difference(reached)].map(
      (alert) => `the alert ${alert} is published, and not reached`,
    ),
  ];
}
