import type { Handler, ReceivedEvent } from '@hindsight/bus/port.ts';
import type { Topics } from '@hindsight/events/topics.ts';
import type { ThresholdWatch } from '../threshold-watch.ts';
import { atStore } from './count.ts';

/** With another plan a threshold may be reached without a further request. */
export function checkChangedPlans(
  watch: Pick<ThresholdWatch, 'checkAgain'>,
): Handler<ReceivedEvent<Topics['projects.changed']>> {
  return async (events) => {
    const changed = events.filter(({ type }) => type === 'plan-changed').map(({ data }) => data.projectId);
    for (const project of new Set(changed)) await atStore(() => watch.checkAgain(project));
  };
}
