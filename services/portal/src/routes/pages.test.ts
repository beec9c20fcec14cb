import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runDashboard, type RunningDashboard } from '../../test/support/run-dashboard.ts';
import { noticeOf } from './pages.ts';

/** Inherited property names, and others that a URL may hold. */
const NO_NAMES = ['__proto__', 'constructor', 'toString', 'nothing', ''];

describe('a notice', () => {
  it('is found by its name', () => {
    expect(noticeOf({ done: 'It is done.' }, 'done')).toBe('It is done.');
  });

  it.each([...NO_NAMES, undefined, 1, ['done'], {}])('does not exist for %j', (name) => {
    expect(noticeOf({ done: 'It is done.' }, name)).toBeUndefined();
  });
});

describe('the dashboard', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hindsight-notices-'));
  let portal: RunningDashboard;
  beforeAll(async () => {
    portal = await runDashboard({ dataDir });
  });
  afterAll(async () => {
    await portal.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('shows a project whatever the notice in its URL', async () => {
    const ada = portal.visitor('ada');
    const path = (await ada.get('/dashboard')).headers.get('location') ?? '';
    expect(await (await ada.get(`${path}?done=renamed`)).text()).toContain('Project renamed.');
    for (const query of [...NO_NAMES.map((name) => `done=${name}`), 'done=a&done=b']) {
      const answer = await ada.get(`${path}?${query}`);
      expect([query, answer.status]).toEqual([query, 200]);
      expect(await answer.text()).not.toContain('class="notice good"');
    }
  });
});
