import { expect, it } from '@jest/globals';
import { HandlerUnavailable } from '@hindsight/bus/errors.ts';
import { onChangedAlerts } from './projects-changed.ts';

const context = { topic: 'projects.changed', partition: 0, signal: new AbortController().signal } as const;
const changed = (type: string, projectId: string) => ({ type, data: { projectId } }) as never;

it('has a project checked once for all changes of plan or thresholds, and waits for the store', async () => {
  const checked: string[] = [];
  const events = [
    changed('plan-changed', 's'),
    changed('plan-changed', 'p'),
    changed('project-renamed', 'q'),
    changed('alerts-changed', 'p'),
    changed('alerts-changed', 'r'),
  ];
  await onChangedAlerts(async (project) => void checked.push(project))(events, context);
  expect(checked).toEqual(['s', 'p', 'r']);
  const handle = onChangedAlerts(() => Promise.reject(new Error('the store is full')));
  await expect(handle(events, context)).rejects.toThrow(HandlerUnavailable);
});
