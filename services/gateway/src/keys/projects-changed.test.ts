import { expect, it } from '@jest/globals';
import type { CachedProjects } from './cached-projects.ts';
import { dropChangedKeys } from './projects-changed.ts';

const context = { topic: 'projects.changed', partition: 0, signal: new AbortController().signal } as const;
const changed = (projectId: string) => ({ type: 'key-revoked', data: { projectId } }) as never;

it('drops what has changed at once, however long the keys of streams take to be checked', async () => {
  const dropped: string[] = [];
  const checked: string[] = [];
  const cache = { drop: (project: string) => void dropped.push(project), dropUnknown: () => undefined };
  const streams = {
    changed(project: string): Promise<void> {
      checked.push(project);
      return new Promise(() => undefined);
    },
  };
  const handle = dropChangedKeys(cache as unknown as CachedProjects, [streams]);
  await handle([changed('one'), changed('two')], context);
  await handle([changed('three')], context);
  expect(dropped).toEqual(['one', 'two', 'three']);
  expect(checked).toEqual(['one', 'two', 'three']);
});
