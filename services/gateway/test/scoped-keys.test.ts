/** Permissions, origins and expiry of a key. */
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '@hindsight/kernel/test/support/until.ts';
import type { KeyChoice } from '@hindsight/projects/project-key.ts';
import { BALANCE, PLENTY, startGatewayWorld } from './support/gateway-world.ts';

const ORDERS = '/v1/eth-mainnet/orders/dex-webhook';
const USAGE = '/v1/usage';
const ORIGIN = 'https://app.example.com';

let time = Date.UTC(2026, 10, 21, 12);
let project: { readonly id: string; readonly key: string };

const world = forAllTests(() => startGatewayWorld({ clock: { now: () => time } }), 'close');
beforeAll(async () => void (await world.joined));
beforeEach(async () => {
  project = await world.addProject(PLENTY);
  world.service.received.length = 0;
  world.service.answer = (_request, response) => response.end('{}');
});

const keyWith = async (choice: KeyChoice): Promise<string> =>
  (await world.projects.createKey(project.id, { name: 'Worker', ...choice })).secret;

/** Makes a change, and waits until the gateway has received it. */
async function heardOf(type: string, change: () => Promise<void>): Promise<void> {
  const count = (): number => world.heard.filter((each) => each === type).length;
  const before = count();
  await change();
  await world.publishChanges();
  await until('the change has arrived', () => count() > before);
}

async function ask(key: string, path = BALANCE, headers: Record<string, string> = {}) {
  const method = path === ORDERS ? 'POST' : 'GET';
  const body = path === ORDERS ? '{}' : null;
  const sent = { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }), ...headers };
  const response = await fetch(world.url + path, { method, body, headers: sent });
  const { message } = (await response.json()) as { message?: string };
  return { status: response.status, message };
}

describe('a key', () => {
  it.each([
    { scope: 'read', may: [200, 403, 403] },
    { scope: 'webhook', may: [403, 200, 403] },
    { scope: 'usage', may: [403, 403, 200] },
  ] as const)('with the scope $scope may do nothing else', async ({ scope, may }) => {
    const key = await keyWith({ scopes: [scope] });
    const answers = await Promise.all([BALANCE, ORDERS, USAGE].map((path) => ask(key, path)));
    expect(answers.map(({ status }) => status)).toEqual(may);
    for (const [at, needed] of ['read', 'webhook', 'usage'].entries()) {
      if (needed === scope) continue;
      expect(answers[at]).toEqual({
        status: 403,
        message: `This API key lacks the scope "${needed}", which this endpoint needs; it has: ${scope}.`,
      });
    }
    expect(world.service.received).toHaveLength(scope === 'usage' ? 0 : 1);
  });

  it('that is refused is told that it costs nothing, and what its project has left; not where it has expired', async () => {
    const keys = await Promise.all([
      keyWith({ scopes: ['webhook'] }),
      keyWith({ allowedAddresses: ['203.0.113.0/24'] }),
      keyWith({ allowedOrigins: [ORIGIN] }),
      keyWith({ expiresAt: time + 1 }),
    ]);
    time += 1;
    const paths = [BALANCE, '/mcp', USAGE];
    const told = async (key: string, path: string) => {
      const method = path === '/mcp' ? 'POST' : 'GET';
      const { status, headers } = await fetch(world.url + path, { method, headers: { 'x-api-key': key } });
      return [status, headers.get('x-units'), headers.has('ratelimit')];
    };
    for (const path of paths)
      expect(await Promise.all(keys.map((key) => told(key, path)))).toEqual([
        ...keys.slice(1).map(() => [403, '0', true]),
        [401, null, false],
      ]);
  });

  it('is refused from other addresses than it allows', async () => {
    const [here, elsewhere] = await Promise.all([
      keyWith({ allowedAddresses: ['127.0.0.0/8', '::1'] }),
      keyWith({ allowedAddresses: ['203.0.113.0/24'] }),
    ]);
    expect((await ask(here)).status).toBe(200);
    expect(await ask(elsewhere)).toMatchObject({
      status: 403,
      message: expect.stringMatching(
        /^This API key may not be used from the address [\d.:af]*127\.0\.0\.1\.$/,
      ),
    });
  });

  it('is refused from other origins than it allows, and without one', async () => {
    const key = await keyWith({ allowedOrigins: [ORIGIN] });
    expect((await ask(key, BALANCE, { origin: ORIGIN })).status).toBe(200);
    for (const origin of ['https://example.com', `${ORIGIN}.evil.example`, 'null'])
      expect(await ask(key, BALANCE, { origin })).toMatchObject({
        status: 403,
        message: `This API key may not be used from the origin ${origin}.`,
      });
    expect(await ask(key)).toMatchObject({ status: 403, message: expect.stringContaining('no Origin') });
  });

  it('opens the tools for agents only where it may read', async () => {
    const call = async (key: string): Promise<number> => {
      const headers = {
        'x-api-key': key,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
      return (await fetch(`${world.url}/mcp`, { method: 'POST', headers, body })).status;
    };
    const expiring = await keyWith({ expiresAt: time + 1_000 });
    expect(await call(expiring)).toBe(200);
    time += 1_000;
    expect(await call(expiring)).toBe(401);
    expect(await call(await keyWith({ allowedAddresses: ['203.0.113.0/24'] }))).toBe(403);
    expect(await call(await keyWith({ scopes: ['webhook'] }))).toBe(403);
  });

  it('that is bound to origins or addresses opens the tools there, and what they ask', async () => {
    const call = async (key: string, headers: Record<string, string>): Promise<unknown> => {
      const response = await fetch(`${world.url}/mcp`, {
        method: 'POST',
        headers: {
          'x-api-key': key,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'usage' } }),
      });
      const { result } = (await response.json()) as { result?: { isError?: boolean; content: unknown } };
      return [response.status, result?.isError ? result.content : undefined];
    };
    const bound = await keyWith({ allowedOrigins: [ORIGIN], allowedAddresses: ['127.0.0.0/8', '::1'] });
    expect(await call(bound, { origin: ORIGIN })).toEqual([200, undefined]);
    expect(await call(bound, {})).toEqual([403, undefined]);
    expect(await call(bound, { origin: 'https://example.com' })).toEqual([403, undefined]);
  });

  it('is refused once it has expired, with words that say so', async () => {
    const key = await keyWith({ expiresAt: time + 1_000 });
    expect((await ask(key)).status).toBe(200);
    const end = new Date(time + 1_000).toISOString();
    time += 1_000;
    expect(await ask(key)).toMatchObject({ status: 401, message: `This API key expired at ${end}.` });
  });

  it('that is revoked, changed, or of a deleted project is looked up again as after a rotation', async () => {
    const [revoked, changed] = [await keyWith({}), await keyWith({})];
    const ids = (await world.projects.listKeys(project.id)).map(({ id }) => id);
    const all = [project.key, revoked, changed];
    await world.publishChanges();
    for (const key of all) expect((await ask(key)).status).toBe(200);
    await world.projects.revokeKey(project.id, ids[1]!);
    await heardOf('key-changed', () => world.projects.updateKey(project.id, ids[2]!, { scopes: ['usage'] }));
    const statuses = async () => (await Promise.all(all.map((key) => ask(key)))).map(({ status }) => status);
    expect(await statuses()).toEqual([200, 401, 403]);
    await heardOf('deleted', () => world.projects.delete(project.id));
    expect(await statuses()).toEqual([401, 401, 401]);
  });

  it('with a cap is refused beyond it, and reports the tighter limit; other keys go on', async () => {
    const key = await keyWith({ monthlyCap: 2 });
    const answer = async (of: string) => {
      const response = await fetch(world.url + BALANCE, { headers: { 'x-api-key': of } });
      const { message } = (await response.json()) as { message?: string };
      const [policy, left] = ['ratelimit-policy', 'ratelimit'].map(
        (name) => /"month";[qr]=(\d+)/.exec(response.headers.get(name) ?? '')?.[1],
      );
      return { status: response.status, message, policy, left };
    };
    expect(await answer(key)).toMatchObject({ status: 200, policy: '2', left: '1' });
    expect(await answer(key)).toMatchObject({ status: 200, policy: '2', left: '0' });
    expect(await answer(key)).toMatchObject({
      status: 429,
      message: expect.stringMatching(
        /^Monthly cap of this API key exceeded: the key’s cap allows 2 requests a month, and all are used/,
      ),
      policy: '2',
      left: '0',
    });
    expect(await answer(project.key)).toMatchObject({ status: 200, policy: '1000000', left: '999997' });
    // The project's limit is the tighter one if less of it is left.
    await world.projects.setPlan(project.id, { plan: 'enterprise', monthlyLimit: 4, rate: 1_000 });
    const { id } = (await world.projects.listKeys(project.id))[1]!;
    await heardOf('key-changed', () => world.projects.updateKey(project.id, id, { monthlyCap: 4 }));
    expect(await answer(key)).toMatchObject({ status: 200, policy: '4' });
    expect(await answer(key)).toMatchObject({
      status: 429,
      message: expect.stringMatching(/^Monthly limit exceeded: the Enterprise plan allows 4/),
      policy: '4',
      left: '0',
    });
  });

  it('that is refused takes no unit of the month', async () => {
    const key = await keyWith({ scopes: ['usage'] });
    expect((await ask(key)).status).toBe(403);
    expect((await world.usage.read(project.id, new Date(time).toISOString().slice(0, 7))).taken).toBe(0);
  });
});
