/** The dashboard over HTTP, on every store; run by `dashboard.test.ts` and `dashboard.servers.test.ts`. */
import { HOUR_MS } from '@hindsight/kernel/durations.ts';
import { describe, expect, it } from '@jest/globals';
import { forEachTest } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { byRecord } from '@hindsight/usage/fold.ts';
import { MAX_PROJECTS } from '../../src/user-projects.ts';
import { actionsOf, firstOf, idOf, keyOf } from '../support/dashboard-steps.ts';
import { runDashboard, type Place, type RunningDashboard } from '../support/run-dashboard.ts';

const MINUTE_MS = 60_000;

interface Shown {
  readonly key: string;
}

/** The cases. */
export function describeDashboard(store: string, fresh: () => Promise<Place>): void {
  const portal = forEachTest(async () => runDashboard(await fresh()), 'stop');
  const ada = forEachTest(async () => portal.visitor('ada'));

  describe(`the dashboard on ${store}`, () => {
    it('creates a first project on the Free plan, once, even for concurrent visits', async () => {
      const paths = await Promise.all(Array.from({ length: 20 }, () => firstOf(ada)));
      expect(new Set(paths).size).toBe(1);
      expect(paths[0]).toMatch(/^\/dashboard\/projects\/[\da-f-]{36}$/);
      const all = await portal.userProjects.list('ada');
      expect(all).toMatchObject([{ name: 'My first project', plan: 'free', ownerId: 'ada', demo: false }]);
      const page = await (await ada.get(paths[0]!)).text();
      expect(page).toContain('My first project');
      expect(page).toContain('100,000');
      expect(page).toContain('curl -H &#39;x-api-key: YOUR_API_KEY&#39;');
    });

    it('shows a key to its owner after a recent sign-in, uncached, and audits it first', async () => {
      const path = await firstOf(ada);
      const page = await (await ada.get(path)).text();
      expect(page).not.toMatch(/hs_\w/);
      portal.clock.time += 1;
      const shown = await ada.post(`${path}/key`);
      expect(shown.headers.get('cache-control')).toBe('no-store');
      const { key } = (await shown.json()) as Shown;
      expect((await portal.opened.projects.findByKey(key))?.id).toBe(idOf(path));
      const [entry] = await portal.opened.audit.list(idOf(path), 1);
      expect(entry).toMatchObject({ action: 'key-shown', userId: 'ada', address: '127.0.0.1' });
      expect(await (await ada.get(path)).text()).toMatch(/Key revealed[\s\S]*you[\s\S]*127\.0\.0\.1/);
    });

    it('shows the key on the page itself to browsers without scripts, and only to its owner', async () => {
      const path = await firstOf(ada);
      const fields = { as: 'page', then: 'show' };
      const page = await (await ada.post(`${path}/key`, fields)).text();
      expect(page).toContain(await keyOf(ada, path));
      // Hiding it asks for the page without it, and reveals nothing again.
      expect(page).toMatch(new RegExp(`formmethod="get" formaction="${path}"[^>]*>Hide<`));
      expect((await actionsOf(portal, path)).sort()).toEqual(['created', 'key-shown', 'key-shown']);
      const late = await portal.visitor('ada', 10 * MINUTE_MS).post(`${path}/key`, fields);
      expect([late.status, late.headers.get('location')]).toEqual([
        307,
        `/sign-in/again?then=${encodeURIComponent(`${path}/key`)}`,
      ]);
      expect((await portal.stranger.post(`${path}/key`, fields)).status).toBe(303);
      const bob = await portal.visitor('bob').post(`${path}/key`, fields);
      expect([bob.status, (await bob.text()).includes('hs_')]).toEqual([404, false]);
    });

    it('requires a new sign-in after ten minutes to reveal or rotate a key', async () => {
      const path = await firstOf(ada);
      const old = portal.visitor('ada', 10 * MINUTE_MS);
      const refused = await old.post(`${path}/key`);
      expect(refused.status).toBe(403);
      expect(await refused.json()).toEqual({ error: 'recent-login' });
      const rotation = await old.post(`${path}/rotate`, { graceMs: '0' });
      // With the form, which continues by itself.
      expect(rotation.status).toBe(307);
      expect(rotation.headers.get('location')).toBe(
        `/sign-in/again?then=${encodeURIComponent(`${path}/rotate`)}`,
      );
      expect(await actionsOf(portal, path)).toEqual(['created']);
      expect((await portal.visitor('ada', 10 * MINUTE_MS - 1).post(`${path}/key`)).status).toBe(200);
    });

    it('rotates a key: the old one works for the chosen time, and the page says until when', async () => {
      const path = await firstOf(ada);
      const former = await keyOf(ada, path);
      const answer = await ada.post(`${path}/rotate`, { graceMs: String(HOUR_MS) });
      expect(answer.headers.get('location')).toBe(`${path}?done=rotated`);
      const end = portal.clock.time + HOUR_MS;
      const page = await (await ada.get(`${path}?done=rotated`)).text();
      expect(page).toContain('Key rotated.');
      expect(page).toContain(new Date(end).toISOString());
      const next = await keyOf(ada, path);
      expect(next).not.toBe(former);
      expect((await portal.opened.projects.findByKey(former))?.keyExpiresAt).toBe(end);
      portal.clock.time = end;
      expect(await portal.opened.projects.findByKey(former)).toBeNull();
      expect((await portal.opened.projects.findByKey(next))?.id).toBe(idOf(path));
      expect(await (await portal.visitor('ada').get(path)).text()).not.toContain('before this one works');
    });

    it('rotates the key of its page, and no other once that one was revoked in another tab', async () => {
      const path = await firstOf(ada);
      const keyOn = async () =>
        /name="key" value="([^"]+)"/.exec(await (await ada.get(path)).text())?.[1] ?? '';
      const key = await keyOn();
      const { secret, key: other } = await portal.opened.projects.createKey(idOf(path), { name: 'Other' });
      await portal.opened.projects.revokeKey(idOf(path), key);
      const answer = await ada.post(`${path}/rotate`, { graceMs: '0', key });
      expect([answer.status, await answer.text()]).toEqual([
        404,
        expect.stringContaining('This key doesn’t exist.'),
      ]);
      expect((await portal.opened.projects.findByKey(secret))?.id).toBe(idOf(path));
      expect(await keyOn()).toBe(other.id);
    });

    it('ends the old key at once when no time is chosen, and refuses other times', async () => {
      const path = await firstOf(ada);
      const former = await keyOf(ada, path);
      for (const graceMs of ['1', '-5', '1e99', '', 'x']) {
        const refused = await ada.post(`${path}/rotate`, { graceMs });
        expect(refused.status).toBe(422);
        expect(await refused.text()).toContain('Choose how long');
      }
      expect((await portal.opened.projects.findByKey(former))?.keyExpiresAt).toBeNull();
      await ada.post(`${path}/rotate`, { graceMs: '0' });
      expect(await portal.opened.projects.findByKey(former)).toBeNull();
    });

    it('refuses a rotation while too many old keys still work', async () => {
      const path = await firstOf(ada);
      for (let n = 0; n < 10; n++) await ada.post(`${path}/rotate`, { graceMs: String(HOUR_MS) });
      const refused = await ada.post(`${path}/rotate`, { graceMs: String(HOUR_MS) });
      expect(refused.status).toBe(422);
      expect(await refused.text()).toContain('old keys of this project still work');
    });

    it('creates projects up to a limit, even from concurrent forms', async () => {
      await firstOf(ada);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => ada.post('/dashboard/projects', { name: `Project ${n}` })),
      );
      const made = answers.filter(({ status }) => status === 303);
      expect(made).toHaveLength(MAX_PROJECTS - 1);
      expect(answers.filter(({ status }) => status === 422)).toHaveLength(20 - MAX_PROJECTS + 1);
      expect(await portal.userProjects.list('ada')).toHaveLength(MAX_PROJECTS);
      const refused = await ada.post('/dashboard/projects', { name: 'One more' });
      expect(await refused.text()).toContain(`You have ${MAX_PROJECTS} projects`);
      await ada.get(made[0]!.headers.get('location')!);
    });

    it('creates a project in the account that the page shows, not in one that another tab has signed in to since', async () => {
      const path = await firstOf(ada);
      const page = await (await ada.get(`${path}/settings`)).text();
      const [, account = ''] = /name="account" value="([^"]*)"/.exec(page) ?? [];
      const refused = await portal.visitor('bob').post('/dashboard/projects', { name: 'Hers', account });
      expect(refused.headers.get('location')).toBe('/account?done=switched');
      expect(await portal.userProjects.list('bob')).toEqual([]);
      const made = await ada.post('/dashboard/projects', { name: 'Hers', account });
      expect(made.headers.get('location')).toMatch(/done=created$/);
    });

    it('renames a project, refuses invalid names, and escapes markup', async () => {
      const path = await firstOf(ada);
      const name = `<script>alert("x")</script> & 'co'`;
      const renamed = await ada.post(`${path}/name`, { name });
      expect(renamed.headers.get('location')).toBe(`${path}?done=renamed`);
      const page = await (await ada.get(path)).text();
      expect(page).not.toContain('<script>alert');
      expect(page).toContain('&lt;script&gt;alert');
      for (const wrong of ['', ' ', 'x'.repeat(101), 'a\u0007b']) {
        const refused = await ada.post(`${path}/name`, { name: wrong });
        expect(refused.status).toBe(422);
        expect(await refused.text()).toContain('1 to 100 characters');
      }
      expect((await portal.userProjects.list('ada'))[0]?.name).toBe(name);
    });

    it('shows the month’s usage, the same on the page and as JSON', async () => {
      const path = await firstOf(ada);
      const project = idOf(path);
      await countSome(portal, project);
      const { usage } = (await (await ada.get(`${path}/usage`)).json()) as { usage: Record<string, unknown> };
      expect(usage).toMatchObject({
        project,
        plan: 'free',
        orders: { received: 2 },
        requests: { used: 7, limit: 100_000, remaining: 99_993 },
        period: { start: '2026-11-01T00:00:00.000Z', end: '2026-12-01T00:00:00.000Z' },
      });
      expect(usage.daily).toHaveLength(21);
      expect((usage.daily as unknown[]).slice(-2)).toEqual([
        { date: '2026-11-20', requests: 3 },
        { date: '2026-11-21', requests: 4 },
      ]);
      const page = await (await ada.get(path)).text();
      expect(page).toMatch(/2026-11-20<\/time><\/th>\s*<td[^>]*data-requests="3"/);
      expect(page).toMatch(/2026-11-21<\/time><\/th>\s*<td[^>]*data-requests="4"/);
      expect(page).toMatch(/data-usage-used>7</);
    });

    it('shows a plan set by an operator at once, with its author', async () => {
      const path = await firstOf(ada);
      await portal.opened.projects.setPlan(idOf(path), {
        plan: 'enterprise',
        monthlyLimit: 123_456_789,
        rate: 77,
      });
      const page = await (await ada.get(path)).text();
      expect(page).toMatch(/data-plan>Enterprise</);
      // Its own numbers, not those of the offer.
      expect(page).toMatch(/aria-current="true"[\s\S]*Enterprise[\s\S]*123,456,789[\s\S]*>77</);
      expect(page).not.toContain('Custom');
      expect(page).toMatch(/Plan changed: free to enterprise[\s\S]*the operator/);
      await portal.opened.projects.suspend(idOf(path));
      expect(await (await ada.get(path)).text()).toContain('This project is suspended');
    });

    it('disables the keys of a user who deletes their account', async () => {
      const path = await firstOf(ada);
      const key = await keyOf(ada, path);
      await portal.userProjects.suspendAll({ userId: 'ada', address: '127.0.0.1' });
      expect((await portal.opened.projects.findByKey(key))?.status).toBe('suspended');
    });

    it('forbids framing and caching', async () => {
      const { headers } = await ada.get(await firstOf(ada));
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('content-security-policy')).toContain(`frame-ancestors 'none'`);
      expect(headers.get('content-security-policy')).toContain(`script-src 'self';`);
    });
  });
}

/** Counts requests of yesterday and today, and two orders, as metering does. */
async function countSome({ usage }: RunningDashboard, project: string): Promise<void> {
  const producer = 'gateway-1/1';
  const endpoint = 'balance-single';
  const entries = [
    { project, day: '2026-11-20', endpoint, requests: 3, orders: 0 },
    { project, day: '2026-11-21', endpoint, requests: 4, orders: 2 },
  ];
  expect(await usage.apply(byRecord([{ producer, sequence: 1, entries }]))).toEqual([]);
}
