/** Attacks on the dashboard, on every store; run by `dashboard.test.ts` and `dashboard.servers.test.ts`. */
import { describe, expect, it } from '@jest/globals';
import { forEachTest } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { actionsOf, firstOf, idOf, keyOf } from '../support/dashboard-steps.ts';
import { runDashboard, type Place } from '../support/run-dashboard.ts';

/** The cases. */
export function describeDashboardAttacks(store: string, fresh: () => Promise<Place>): void {
  const portal = forEachTest(async () => runDashboard(await fresh()), 'stop');
  const ada = forEachTest(async () => portal.visitor('ada'));

  describe(`strangers at the dashboard on ${store}`, () => {
    it('redirects visitors to sign in, and back to the page they requested', async () => {
      const path = await firstOf(ada);
      for (const [answer, next] of [
        [await portal.stranger.get('/dashboard'), '/dashboard'],
        [await portal.stranger.get(`${path}?done=rotated`), `${path}?done=rotated`],
        [await portal.stranger.post(`${path}/rotate`, { graceMs: '0' }), '/dashboard'],
        // To the page of a file: of the file itself, nothing would be seen after signing in.
        [
          await portal.stranger.get(`${path}/usage/report.csv?month=2026-07&by=key`),
          `${path}/usage/report?month=2026-07&by=key`,
        ],
        [
          await portal.stranger.get(`${path}/audit/export?format=csv&who=you`),
          `${path}/audit?format=csv&who=you`,
        ],
      ] as const) {
        expect(answer.status).toBe(303);
        expect(answer.headers.get('location')).toBe(`/sign-in?next=${encodeURIComponent(next)}`);
      }
      expect((await portal.stranger.post(`${path}/key`)).status).toBe(403);
      expect(await actionsOf(portal, path)).toEqual(['created']);
    });

    it('reveals nothing about other people’s projects', async () => {
      const path = await firstOf(ada);
      const key = await keyOf(ada, path);
      const bob = portal.visitor('bob');
      await firstOf(bob);
      portal.clock.time += 1;
      await portal.opened.projects.setPlan(idOf(path), { plan: 'growth' });
      const demo = '/dashboard/projects/demo';
      for (const target of [path, demo, '/dashboard/projects/unknown', '/dashboard/projects/%3Cb%3E']) {
        const answers = await Promise.all([
          bob.get(target),
          bob.get(`${target}/usage`),
          bob.post(`${target}/key`),
          bob.post(`${target}/rotate`, { graceMs: '0' }),
          bob.post(`${target}/name`, { name: 'Mine now' }),
        ]);
        expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
        const texts = await Promise.all(answers.map((answer) => answer.text()));
        expect(texts.join('')).not.toContain(key);
        expect(texts.join('')).not.toMatch(/Growth|My first/);
      }
      expect((await actionsOf(portal, path)).sort()).toEqual(['created', 'key-shown', 'plan-changed']);
      expect((await portal.opened.projects.findByKey(key))?.name).toBe('My first project');
    });

    it('refuses cross-site requests and changes nothing', async () => {
      const path = await firstOf(ada);
      const key = await keyOf(ada, path);
      for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1']) {
        const headers = { origin };
        const answers = await Promise.all([
          ada.post(`${path}/key`, {}, headers),
          ada.post(`${path}/rotate`, { graceMs: '0' }, headers),
          ada.post(`${path}/name`, { name: 'Taken' }, headers),
          ada.post('/dashboard/projects', { name: 'Planted' }, headers),
        ]);
        expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
      }
      expect((await portal.opened.projects.findByKey(key))?.name).toBe('My first project');
      expect(await portal.userProjects.list('ada')).toHaveLength(1);
    });

    it('limits the projects created per client address and day, across users', async () => {
      const statuses: number[] = [];
      for (let i = 0; i < 41; i++) {
        const user = portal.visitor(`user-${Math.floor(i / 5)}`);
        statuses.push((await user.post('/dashboard/projects', { name: `Project ${i}` })).status);
      }
      expect(statuses.filter((status) => status === 303)).toHaveLength(40);
      expect(statuses.at(-1)).toBe(429);
      portal.clock.time += 24 * 3_600_000;
      const later = await portal.visitor('user-9').post('/dashboard/projects', { name: 'The next day' });
      expect(later.status).toBe(303);
    });

    it('limits how often each user can reveal keys and change projects', async () => {
      const path = await firstOf(ada);
      const looks = await Promise.all(Array.from({ length: 61 }, () => ada.post(`${path}/key`)));
      expect(looks.filter(({ status }) => status === 200)).toHaveLength(60);
      const refused = looks.filter(({ status }) => status === 429);
      expect(refused).toHaveLength(1);
      expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await actionsOf(portal, path)).filter((action) => action === 'key-shown')).toHaveLength(60);
      const bob = portal.visitor('bob');
      expect((await bob.post(`${await firstOf(bob)}/key`)).status).toBe(200);
    });
  });
}
