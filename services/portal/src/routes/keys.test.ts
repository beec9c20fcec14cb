/** Keys as a list, and the end of a project, without scripts. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ListedKey } from '@hindsight/projects/ports.ts';
import { DAY_MS, MINUTE_MS } from '@hindsight/kernel/durations.ts';
import { DEFAULT_KEY_ID, oldSecretId } from '@hindsight/projects/project-key.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { actionsOf, firstOf, idOf } from '../../test/support/dashboard-steps.ts';
import { runDashboard, type RunningDashboard, type Visitor } from '../../test/support/run-dashboard.ts';
import { MAX_NEW_PROJECTS, MAX_PROJECTS } from '../user-projects.ts';

const SECRET = /hs_[0-9A-Za-z]{30}/;

let dataDir: string;
let portal: RunningDashboard;
let ada: Visitor;
let path: string;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'hindsight-keys-'));
  portal = await runDashboard({ dataDir });
  ada = portal.visitor('ada');
  path = await firstOf(ada);
});
afterEach(async () => {
  await portal.stop();
  rmSync(dataDir, { recursive: true });
});

const textOf = async (answer: Promise<Response>): Promise<string> => (await answer).text();

/** Creates a key; gives the path of its page. */
async function create(fields: Record<string, string>): Promise<string> {
  const created = await ada.post(`${path}/keys`, { name: 'Worker', 'scope-read': 'yes', ...fields });
  expect(created.status).toBe(303);
  return created.headers.get('location')!.split('?')[0]!;
}

describe('the keys of a project', () => {
  it('are created with their terms, listed without secrets, and revealed', async () => {
    const page = await create({
      addresses: '203.0.113.0/24\r\n2001:db8::1',
      origins: 'https://app.example.com',
      lastDay: '2026-12-31',
      cap: '5,000',
    });
    const list = await textOf(ada.get(`${path}/keys`));
    for (const text of ['Worker', '5,000 units a month', '203.0.113.0/24', '2027-01-01 00:00 UTC', 'Never'])
      expect(list).toContain(text);
    expect(list).not.toMatch(SECRET);
    expect(list).toContain('2 of 20 keys');
    const [secret] = SECRET.exec(await textOf(ada.post(`${page}/reveal`)))!;
    expect(await portal.opened.projects.findByKey(secret)).toMatchObject({
      id: idOf(path),
      key: {
        name: 'Worker',
        scopes: ['read'],
        allowedAddresses: ['203.0.113.0/24', '2001:db8::1'],
        allowedOrigins: ['https://app.example.com'],
        expiresAt: Date.UTC(2027, 0, 1),
        monthlyCap: 5_000,
      },
    });
    expect(list).toContain(`hs_…${secret.slice(-4)}`);
    expect(await textOf(ada.get(page))).not.toMatch(SECRET);
    expect(await actionsOf(portal, path)).toEqual(expect.arrayContaining(['key-created', 'key-shown']));
  });

  it('show what is wrong with a form, and keep what was typed', async () => {
    const faulty = await ada.post(`${path}/keys`, { name: 'Worker', 'scope-read': 'yes', addresses: 'here' });
    expect(faulty.status).toBe(422);
    const page = await faulty.text();
    expect(page).toContain('Allowed addresses: &quot;here&quot; is not an IP address');
    expect(page).toContain('value="Worker"');
    const capped = await ada.post(`${path}/keys`, { name: 'Worker', 'scope-read': 'yes', cap: '100001' });
    expect(await capped.text()).toContain('Monthly cap: a whole number from 1 to 100000');
    const nowhere = { name: 'Worker', 'scope-read': 'yes', lastDay: '2027-02-30' };
    expect(await textOf(ada.post(`${path}/keys`, nowhere))).toContain('Expiry: a day such as 2026-12-31');
  });

  it('are changed, rotated and revoked, each with its line in the audit log', async () => {
    const page = await create({});
    const terms = { name: 'Other', 'scope-usage': 'yes', cap: '7' };
    expect((await ada.post(page, terms)).headers.get('location')).toBe(`${page}?done=changed`);
    const { projects } = portal.opened;
    const changed = (await projects.listKeys(idOf(path)))[1];
    expect(changed).toMatchObject({ name: 'Other', scopes: ['usage'], monthlyCap: 7 });
    expect((await ada.post(`${page}/rotate`, { graceMs: '3600000' })).status).toBe(303);
    const rotated = await textOf(ada.get(page));
    expect(rotated).toContain('The previous key works until');
    expect(rotated).toContain('No request had used it since the rotation, as of two minutes ago.');
    // The project's page is about another key.
    expect(await textOf(ada.get(path))).not.toContain('The previous key works until');
    const [, { id: keyId, oldEnds }] = (await projects.listKeys(idOf(path))) as [unknown, ListedKey];
    const at = Date.UTC(2026, 10, 21, 9, 30);
    const use = { projectId: idOf(path), keyId: oldSecretId(keyId, oldEnds[0]!), at };
    await projects.noteKeyUses([use]);
    expect(await textOf(ada.get(page))).toMatch(/It was last used on .*2026-11-21 09:30 UTC/);
    expect((await ada.post(`${page}/revoke`)).headers.get('location')).toBe(`${path}/keys?done=revoked`);
    expect(await textOf(ada.get(page))).toContain('This key was revoked');
    expect((await ada.post(page, terms)).status).toBe(404);
    expect((await ada.get(`${path}/keys/nothing`)).status).toBe(404);
    const only = await ada.post(`${path}/keys/${DEFAULT_KEY_ID}/revoke`);
    expect([only.status, await only.text()]).toEqual([422, expect.stringContaining('only key')]);
    expect((await actionsOf(portal, path)).sort()).toEqual([
      'created',
      'key-changed',
      'key-created',
      'key-revoked',
      'key-rotated',
    ]);
  });

  it('keep what another tab has taken from them since their page was opened', async () => {
    const page = await create({});
    const shownOn = (text: string): string => /name="shown" value="([^"]+)"/.exec(text)?.[1] ?? '';
    const terms = { name: 'Renamed', 'scope-read': 'yes', shown: shownOn(await textOf(ada.get(page))) };
    expect(shownOn(await textOf(ada.post(page, { ...terms, cap: 'x' })))).toBe(terms.shown);
    await ada.post(page, { ...terms, name: 'Worker', addresses: '203.0.113.7' });
    const refused = await ada.post(page, terms);
    const text = await refused.text();
    expect([refused.status, text]).toEqual([422, expect.stringContaining('was changed since you opened')]);
    expect(text).toContain('203.0.113.7</textarea>');
    const key = async () => (await portal.opened.projects.listKeys(idOf(path)))[1];
    expect(await key()).toMatchObject({ name: 'Worker', allowedAddresses: ['203.0.113.7'] });
    const reread = { ...terms, addresses: '203.0.113.7', shown: shownOn(text) };
    expect((await ada.post(page, reread)).status).toBe(303);
    expect(await key()).toMatchObject({ name: 'Renamed', allowedAddresses: ['203.0.113.7'] });
  });

  it('keep an expiry that is no end of a day when something else is changed', async () => {
    const expiresAt = portal.clock.time + 90 * MINUTE_MS;
    const { key } = await portal.opened.projects.createKey(idOf(path), { name: 'Brief', expiresAt });
    const fields = { name: 'Brief', 'scope-read': 'yes', lastDay: '2026-11-21' };
    expect((await ada.post(`${path}/keys/${key.id}`, fields)).status).toBe(303);
    expect((await portal.opened.projects.listKeys(idOf(path)))[1]).toMatchObject({
      expiresAt,
      scopes: ['read'],
    });
  });

  it('are said to have expired on the dashboard, which shows the first', async () => {
    const EXPIRED = 'This key has expired. Requests return 401.';
    const first = `${path}/keys/${DEFAULT_KEY_ID}`;
    const lastDay = new Date(portal.clock.time).toISOString().slice(0, 10);
    await ada.post(first, { name: 'Default', 'scope-read': 'yes', lastDay });
    expect(await textOf(ada.get(path))).not.toContain(EXPIRED);
    portal.clock.time += DAY_MS;
    expect(await textOf(portal.visitor('ada').get(path))).toContain(EXPIRED);
  });

  it('are changed by their owner alone, after a recent sign-in', async () => {
    const page = await create({});
    const bob = portal.visitor('bob');
    for (const each of [`${path}/keys`, page, `${path}/delete`])
      expect((await bob.get(each)).status).toBe(404);
    for (const each of [`${path}/keys`, page, `${page}/reveal`, `${page}/revoke`, `${path}/delete`])
      expect((await bob.post(each, { name: 'x' })).status).toBe(404);
    const old = portal.visitor('ada', 10 * MINUTE_MS);
    expect(await textOf(old.get(page))).toContain(`/sign-in?again=1&amp;next=${encodeURIComponent(page)}`);
    const refused = await old.post(`${page}/reveal`);
    expect(refused.headers.get('location')).toBe(
      `/sign-in/again?then=${encodeURIComponent(`${page}/reveal`)}`,
    );
    expect((await portal.stranger.get(page)).status).toBe(303);
    expect(await actionsOf(portal, path)).toHaveLength(2);
  });
});

describe('the deletion of a project', () => {
  it('needs its name, ends its keys, keeps its audit log, and makes room for another', async () => {
    const key = (await portal.opened.projects.showKey(idOf(path)))!;
    for (let n = 1; n < MAX_PROJECTS; n++) await ada.post('/dashboard/projects', { name: `Project ${n}` });
    expect(await textOf(ada.get(`${path}/delete`))).toContain('My first project');
    const wrong = await ada.post(`${path}/delete`, { name: 'my project' });
    expect([wrong.status, await wrong.text()]).toEqual([422, expect.stringContaining('not the name')]);
    const deleted = await ada.post(`${path}/delete`, { name: 'My first project ' });
    expect(deleted.headers.get('location')).toBe('/dashboard?done=deleted');
    const next = (await ada.get('/dashboard?done=deleted')).headers.get('location')!;
    expect(await textOf(ada.get(next))).toContain('Project deleted. Its API keys no longer work.');
    expect((await ada.get(path)).status).toBe(404);
    expect(await portal.opened.projects.findByKey(key)).toBeNull();
    expect(await actionsOf(portal, path)).toContain('deleted');
    expect(await portal.userProjects.list('ada')).toHaveLength(MAX_PROJECTS - 1);
    const names = await Promise.all(
      ['My first project', 'One more', 'Another'].map(async (name) => {
        const { status } = await ada.post('/dashboard/projects', { name });
        return status;
      }),
    );
    expect(names.sort()).toEqual([303, 422, 422]);
    expect(await portal.userProjects.list('ada')).toHaveLength(MAX_PROJECTS);
  });

  it('takes the name as the page shows it, and as any keyboard writes it', async () => {
    const name = 'Caf\u00e9  \u200fשלום';
    await ada.post(`${path}/name`, { name });
    const shown = /to confirm: ([^<]*)</.exec(await textOf(ada.get(`${path}/delete`)))?.[1] ?? '';
    for (const wrong of ['Café', 'Café שלומ'])
      expect((await ada.post(`${path}/delete`, { name: wrong })).status).toBe(422);
    expect(shown).toContain('שלום');
    const typed = shown.replaceAll(/\s+/g, ' ').normalize('NFD');
    expect((await ada.post(`${path}/delete`, { name: typed })).headers.get('location')).toMatch(
      'done=deleted',
    );
  });

  it('takes no empty name for one of marks alone', async () => {
    await ada.post(`${path}/name`, { name: '\ufffd' });
    expect((await ada.post(`${path}/delete`, { name: '' })).status).toBe(422);
    expect((await ada.post(`${path}/delete`, { name: '\ufffd' })).status).toBe(303);
  });

  it('of the only project leads to a new first one', async () => {
    await ada.post(`${path}/delete`, { name: 'My first project' });
    const next = await firstOf(ada);
    expect(next).not.toBe(path);
    await ada.post(`${next}/delete`, { name: 'My first project' });
    expect([path, next]).not.toContain(await firstOf(ada));
    expect(await portal.userProjects.list('ada')).toHaveLength(1);
  });

  it('gives no free quota without end: an account has so many new projects a month', async () => {
    const fields = { name: 'My first project' };
    for (let n = 1; n < MAX_NEW_PROJECTS; n++) await ada.post(`${await firstOf(ada)}/delete`, fields);
    const last = await firstOf(ada);
    const deleted = await ada.post(`${last}/delete`, fields);
    expect([deleted.status, (await ada.get(last)).status]).toEqual([303, 404]);
    const refused = [await ada.get('/dashboard'), await ada.post('/dashboard/projects', { name: 'Another' })];
    for (const answer of refused) {
      expect(answer.status).toBe(429);
      expect(await answer.text()).toMatch(
        /created 10 projects this month[\s\S]*deleted ones count[\s\S]*Try again in 10 days\./,
      );
    }
    portal.clock.time = Date.UTC(2026, 11, 1);
    expect((await portal.visitor('ada').get('/dashboard')).status).toBe(303);
  });
});
