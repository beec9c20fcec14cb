/** Alerts by email: each once, whatever is delivered again, and however often the portal is killed. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { HandlerUnavailable } from '@hindsight/bus/errors.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { openAccountStores } from '../../src/adapters/open-accounts.ts';
import { emailAlerts } from '../../src/consumers/usage-threshold.ts';
import { MailNotSent, type Mail } from '../../src/ports.ts';
import { signUp } from '../support/people.ts';
import { runPortal, type RunningPortal } from '../support/run-portal.ts';

let folder: string;
let portal: RunningPortal;
let owner: string;
let id: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hindsight-alerts-'));
  portal = await runPortal({ dataDir: folder });
  const { email, browser } = await signUp(portal);
  owner = email;
  id = (await browser.get('/dashboard')).headers.get('location')?.split('/').at(-1) ?? '';
});
afterEach(async () => {
  await portal.stop();
  rmSync(folder, { recursive: true, force: true });
});

const reached = (threshold: number, project = id) => ({
  type: 'usage-threshold-reached' as const,
  id: `${project}:2026-11:${threshold}`,
  source: '/metering',
  time: 1,
  data: {
    projectId: project,
    month: '2026-11',
    threshold,
    requests: 80_001,
    limit: 100_000,
    reachedAt: '2026-11-21T12:00:00.000Z',
  },
});
const alerts = (of = portal) => of.mails.filter(({ subject }) => subject.includes('% of the monthly limit'));

it('are received once, also after the portal was started again', async () => {
  await portal.bus.publish('usage.threshold', [reached(80), reached(80), reached(80, 'no project')]);
  await until('it is received', () => alerts().length > 0);
  await portal.stop();
  portal = await runPortal({ dataDir: folder });
  await portal.bus.publish('usage.threshold', [reached(80), reached(100)]);
  await until('the other is received', () => alerts().length > 0);
  const [mail] = alerts();
  expect(alerts()).toHaveLength(1);
  expect(mail).toMatchObject({ to: owner, subject: '100% of the monthly limit used: My first project' });
  expect(mail?.msg).toContain('80,001 of 100,000 units in 2026-11');
  expect(mail?.msg).toContain(`${portal.url}/dashboard/projects/${id}/usage/report?month=2026-11\n`);
});

it.each<[when: string, at: number, effect: string]>([
  ['in its month', Date.UTC(2026, 11, 1) - 1, 'Requests work until the limit is reached'],
  ['once its month is over', Date.UTC(2026, 11, 1), 'That month is over, and the whole limit is available'],
])('say what holds %s', async (_when, at, effect) => {
  portal.clock.time = at;
  await portal.bus.publish('usage.threshold', [reached(80)]);
  await until('it is received', () => alerts().length > 0);
  expect(alerts()[0]?.msg).toContain(`80% of its limit. ${effect}`);
});

it('are shown in the development mailbox', async () => {
  await portal.bus.publish('usage.threshold', [reached(80), reached(80)]);
  await until('it is received', () => alerts().length > 0);
  const page = await (await portal.browser().get('/outbox')).text();
  expect(page.match(/80% of the monthly limit used/g)).toHaveLength(1);
});

it('wait for the mail server, and are not sent twice when the portal is killed at any step', async () => {
  const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
  const stores = await openAccountStores({ dataDir: folder }, lifecycle);
  const sent: Mail[] = [];
  let unreachable = 2;
  const attempt = async (threshold: number, killedAt: number): Promise<boolean> => {
    let steps = 0;
    const step = (): void => {
      if (++steps === killedAt) throw new Error('killed');
    };
    const handler = emailAlerts({
      projects: portal.projects,
      accounts: stores.accounts,
      claims: {
        async claim(key, expiresAt) {
          step();
          const claimed = await stores.claims.claim(key, expiresAt);
          step();
          return claimed;
        },
        release: (key) => stores.claims.release(key),
      },
      mailer: {
        async send(mail) {
          if (unreachable-- > 0) throw new MailNotSent('unreachable');
          step();
          sent.push(mail);
          step();
        },
      },
      clock: { now: () => 0 },
      origin: () => 'http://x',
    });
    const event = { ...reached(threshold), topic: 'usage.threshold', partition: 0, offset: '0' };
    const context = { topic: 'usage.threshold', partition: 0, signal: new AbortController().signal };
    return handler([event], context).then(
      () => true,
      (error: unknown) => {
        if (error instanceof HandlerUnavailable) return false;
        expect(String(error)).toContain('killed');
        return false;
      },
    );
  };
  expect([await attempt(50, 0), await attempt(50, 0), await attempt(50, 0), await attempt(50, 0)]).toEqual([
    false,
    false,
    true,
    true,
  ]);
  expect(sent).toHaveLength(1);
  for (let killedAt = 1; killedAt <= 5; killedAt++) {
    sent.length = 0;
    const threshold = 50 + killedAt;
    await attempt(threshold, killedAt);
    expect(await attempt(threshold, 0)).toBe(true);
    // Between the claim and the mail server's word it is lost rather than sent twice.
    expect(sent).toHaveLength(killedAt === 2 || killedAt === 3 ? 0 : 1);
  }
  await lifecycle.shutdown('end of test');
});
