import type { Handler, ReceivedEvent } from '@hindsight/bus/port.ts';
import type { Topics } from '@hindsight/events/topics.ts';
import { atStore } from './count.ts';

/** With another plan, or other thresholds, one may be reached without a further request. */
const CONCERNING_ALERTS: readonly string[] = ['plan-changed', 'alerts-changed'];

/** Has each project checked whose alerts a change concerns. @param check called once per project and batch */
export function onChangedAlerts(
  check: (project: string) => Promise<void>,
): Handler<ReceivedEvent<Topics['projects.changed']>> {
  return async (events) => {
    const changed = events.filter(({ type }) => CONCERNING_ALERTS.includes(type));
    for (const project of new Set(changed.map(({ data }) => data.projectId)))
      await atStore(() => check(project));
  };
}
