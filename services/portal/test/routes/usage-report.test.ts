/** The page of a project's usage, its alerts, and its audit log in full. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import { byRecord } from '@hindsight/usage/fold.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { actionsOf, firstOf, idOf } from '../support/dashboard-steps.ts';
import { runDashboard, type RunningDashboard, type Visitor } from '../support/run-dashboard.ts';

let folder: string;
let portal: RunningDashboard;
let ada: Visitor;
let path: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hindsight-report-'));
  portal = await runDashboard({ dataDir: folder });
  portal.clock.time = Date.UTC(2026, 10, 21, 12);
  ada = portal.visitor('ada');
  path = await firstOf(ada);
});
afterEach(async () => {
  await portal.stop();
  rmSync(folder, { recursive: true, force: true });
});

const textOf = async (of: Promise<Response>): Promise<string> => (await of).text();

it('a project’s page is about its first call only while it is new: each month begins without a request', async () => {
  const page = async (): Promise<string> => textOf(ada.get(path));
  expect(await page()).toContain('Your first call</h2>');
  portal.clock.time = Date.UTC(2026, 11, 1);
  expect(await page()).not.toContain('Your first call');
  expect(await page()).toContain('No requests yet this month.');
});

describe('the usage of a project', () => {
  beforeEach(async () => {
    const entry = { project: idOf(path), endpoint: 'balance-single', key: 'default', orders: 0 };
    const entries = [
      { ...entry, day: '2026-11-20', status: 200, requests: 3 },
      { ...entry, day: '2026-11-20', status: 404, requests: 1_000 },
      { ...entry, day: '2026-09-02', status: 200, requests: 5, key: 'revoked1' },
    ];
    await portal.usage.apply(byRecord([{ producer: 'a', sequence: 1, entries }]));
  });

  it('is that of this month for the link of an old email', async () => {
    const old = await ada.get(`${path}/usage/report?month=2026-08`);
    expect([old.status, old.headers.get('location')]).toEqual([303, `${path}/usage/report?done=past`]);
    const page = await textOf(ada.get(old.headers.get('location')!));
    expect(page).toContain('That month is no longer shown.');
    expect(page).toContain('1,003');
  });

  it('is shown by day, endpoint, status and key, for three months', async () => {
    const page = await textOf(ada.get(`${path}/usage/report`));
    expect(page).toContain('class="days"');
    for (const text of ['balance-single', '404', '1,003', '2026-09']) expect(page).toContain(text);
    expect(page).toMatch(/By API key[\s\S]*Default/);
    const september = await textOf(ada.get(`${path}/usage/report?month=2026-09`));
    expect(september).toContain('revoked1 (revoked)');
    expect(september).toContain('2026-09-30');
    // The limit is today's: a past month may have had another.
    expect([page, september].map((text) => text.includes('100,000'))).toEqual([true, false]);
    for (const month of ['2026-12', '2026-08x'])
      expect((await ada.get(`${path}/usage/report?month=${month}`)).status).toBe(400);
    expect((await portal.visitor('bob').get(`${path}/usage/report`)).status).toBe(404);
  });

  it('is downloaded as CSV', async () => {
    const csv = await ada.get(`${path}/usage/report.csv?by=status`);
    expect(csv.headers.get('content-disposition')).toContain('usage-2026-11-by-status.csv');
    expect(await csv.text()).toBe('date,status,requests\r\n2026-11-20,404,1000\r\n2026-11-20,200,3\r\n');
    expect((await ada.get(`${path}/usage/report.csv?by=hour`)).status).toBe(400);
    expect((await portal.visitor('bob').get(`${path}/usage/report.csv`)).status).toBe(404);
  });

  it('is alerted at thresholds that its owner chooses, which the audit log has', async () => {
    expect(await textOf(ada.get(`${path}/usage/report`))).toContain('value="80, 100"');
    const saved = await ada.post(`${path}/alerts`, { thresholds: '90 50%' });
    expect(saved.headers.get('location')).toBe(`${path}/usage/report?done=alerts`);
    expect(await portal.alerts.thresholdsOf(idOf(path))).toEqual([50, 90]);
    expect(await actionsOf(portal, path)).toContain('alerts-changed');
    for (const thresholds of ['0', '1,2,3,4,5,6', 'many']) {
      const refused = await ada.post(`${path}/alerts`, { thresholds });
      expect([refused.status, await refused.text()]).toEqual([
        422,
        expect.stringContaining(`value="${thresholds}"`),
      ]);
    }
    expect((await portal.visitor('bob').post(`${path}/alerts`, { thresholds: '1' })).status).toBe(404);
    await ada.post(`${path}/alerts`, { thresholds: '' });
    expect(await portal.alerts.thresholdsOf(idOf(path))).toEqual([]);
    const reached = { project: idOf(path), month: '2026-11', threshold: 50, requests: 1, limit: 2, at: 0 };
    await portal.alerts.reach(reached);
    expect(await textOf(ada.get(`${path}/usage/report`))).toContain('50% of the 2026-11 limit reached at');
  });
});

it('thresholds that cannot be read are not shown as none: a form with none of them would end all alerts', async () => {
  portal.alerts.thresholdsOf = () => Promise.reject(new StoreUnavailable('usage', 'no answer'));
  const page = await textOf(ada.get(`${path}/usage/report`));
  expect(page).toContain('Alerts are unavailable right now.');
  expect(page).not.toContain('name="thresholds"');
});

describe('the audit log', () => {
  beforeEach(async () => {
    for (let i = 0; i < 60; i++) {
      portal.clock.time += 1_000;
      const change = { detail: `at ${i}, "%"`, store: async () => undefined };
      const by = { userId: 'ada', address: '192.0.2.1' };
      await portal.opened.projects.changeAlerts(idOf(path), change, by);
    }
    await portal.opened.projects.suspend(idOf(path));
  });
  const rows = (page: string): number =>
    /class="lines activity">([\s\S]*?)<\/ul>/.exec(page)![1]!.match(/<li>/g)!.length;

  it('is shown in pages, filtered', async () => {
    const page = await textOf(ada.get(`${path}/audit`));
    expect(rows(page)).toBe(50);
    const older = /href="([^"]*below=[^"]*)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(rows(await textOf(ada.get(older)))).toBe(12);
    expect(rows(await textOf(ada.get(`${path}/audit?who=operator&what=suspended&from=2026-11-21`)))).toBe(1);
    const none = await textOf(ada.get(`${path}/audit?to=2026-11-20&what=suspended`));
    expect(none).toContain('class="empty"');
    for (const query of ['who=eve', 'what=nothing', 'from=yesterday', 'to=2026-11-41', 'to=2026-02-30'])
      expect((await ada.get(`${path}/audit?${query}`)).status).toBe(400);
    expect((await portal.visitor('bob').get(`${path}/audit`)).status).toBe(404);
  });

  it('is exported in full, as CSV or NDJSON, with the same filter', async () => {
    const csv = (await textOf(ada.get(`${path}/audit/export?format=csv&what=alerts-changed`))).split('\r\n');
    expect(csv[0]).toBe('at,action,detail,user,address');
    expect(csv[1]).toMatch(/^2026-11-21T12:01:00\.000Z,alerts-changed,"at 59, ""%""",you,192\.0\.2\.1$/);
    expect(csv).toHaveLength(62);
    const lines = (await textOf(ada.get(`${path}/audit/export?format=ndjson&who=operator`)))
      .trim()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { action: 'suspended', user: 'operator' },
    ]);
    expect((await ada.get(`${path}/audit/export?format=pdf`)).status).toBe(400);
    expect((await portal.visitor('bob').get(`${path}/audit/export?format=csv`)).status).toBe(404);
  });
});
