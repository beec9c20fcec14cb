import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runDashboard, type RunningDashboard } from '../../test/support/run-dashboard.ts';
import { noticeOf } from './pages.ts';

/** What every object has, and what an address may hold besides. */
const NO_NAMES = ['__proto__', 'constructor', 'toString', 'nothing', ''];

describe('words on what has just happened', () => {
  it('are those of a name', () => {
    expect(noticeOf({ done: 'It is done.' }, 'done')).toBe('It is done.');
  });

  it.each([...NO_NAMES, undefined, 1, ['done'], {}])('are none for %j', (name) => {
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

  it('shows a project whatever its address says that was done', async () => {
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
