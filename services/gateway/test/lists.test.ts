/** Lists of holders: the places of their readers, and what is held for those of a service that is not there. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { get, type IncomingMessage } from 'node:http';
import { ABSENT_HOLDERS } from '../src/upstreams/own-answer.ts';
import { drained } from './support/echo.ts';
import { PLENTY, startGatewayWorld, type GatewayWorld } from './support/gateway-world.ts';

const PATH = '/v1/eth-mainnet/token/holders';
const ENDLESS = `${PATH}?limit=2`;
/** A project's, of one gateway. */
const PLACES = 4;
const PART = `${'x'.repeat(64 * 1024 - 1)}\n`;
/** More than the buffers of all sockets on the way. */
const PARTS = 1_024;

let world: GatewayWorld;
/** Only goes forwards. */
let time = Date.UTC(2026, 10, 2, 12);
let absent: GatewayWorld;

beforeAll(async () => {
  world = await startGatewayWorld({ clock: { now: () => time } });
  absent = await startGatewayWorld({ holders: ABSENT_HOLDERS });
  world.service.answer = (request, response) => {
    const write = async (): Promise<void> => {
      const parts = { [PATH]: PARTS, [ENDLESS]: Infinity }[request.url!] ?? 1;
      for (let i = 0; i < parts && !response.destroyed; i++)
        if (!response.write(PART)) await drained(response);
      response.end();
    };
    void write();
  };
});
afterAll(async () => {
  await world.close();
  await absent.close();
});

/** Begins an answer, of which nothing more is read. */
function begin(key: string, path = PATH): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = get(world.url + path, { headers: { 'x-api-key': key }, agent: false });
    sent.on('error', reject).once('response', (response) => {
      response.pause().on('error', () => undefined);
      resolve(response);
    });
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += part as string;
  return text;
}

describe('lists of holders', () => {
  it('hold a place of their project until they are taken, and leave others theirs', async () => {
    const [one, other] = [await world.addProject(PLENTY), await world.addProject(PLENTY)];
    const unread: IncomingMessage[] = [];
    for (let i = 0; i < PLACES; i++) unread.push(await begin(one.key));
    const refused = await begin(one.key);
    expect(refused.statusCode).toBe(429);
    expect(JSON.parse(await textOf(refused))).toMatchObject({
      code: 'streams_exceeded',
      message: `Too many lists of holders: a project may have ${PLACES} running at a time; try again when one has ended.`,
    });
    const short = `${PATH}?limit=1`;
    expect(await textOf(await begin(other.key, short))).toBe(PART);
    unread.pop()!.destroy();
    await until('its place is free', async () => {
      const again = await begin(one.key, short);
      await textOf(again);
      return again.statusCode === 200;
    });
    // A list that was taken has left its place.
    for (let i = 0; i < PLACES; i++) expect(await textOf(await begin(one.key, short))).toBe(PART);
    for (const response of unread) response.destroy();
  });

  it('end where their reader takes next to nothing for a minute, and their place is free', async () => {
    const { key } = await world.addProject(PLENTY);
    const unread: IncomingMessage[] = [];
    for (let i = 0; i < PLACES; i++) unread.push(await begin(key, ENDLESS));
    await until('places are free', async () => {
      // A connection that nothing moves on is closed by the server in any case.
      for (const response of unread) response.read();
      time += 3_600_000;
      const next = await begin(key, `${PATH}?limit=1`);
      await textOf(next);
      return next.statusCode === 200;
    });
    for (const response of unread) response.destroy();
  });

  it('reserve one unit where there is no such service, and cost it', async () => {
    const { key, id } = await absent.addProject({ plan: 'enterprise', monthlyLimit: 2, rate: 1_000 });
    const ask = (): Promise<Response> => fetch(absent.url + PATH, { headers: { 'x-api-key': key } });
    const [first, second, third] = [await ask(), await ask(), await ask()];
    expect([first, second, third].map(({ status }) => status)).toEqual([409, 409, 429]);
    expect([first, second].map(({ headers }) => headers.get('x-units'))).toEqual(['1', '1']);
    await until('both are counted', () => absent.sentUnits(id) === 2);
  });

  it('count by what they cost, however much is reserved for them at a time', async () => {
    const { key, id } = await world.addProject({ plan: 'enterprise', monthlyLimit: 150, rate: 1_000 });
    const answer = world.service.answer;
    world.service.answer = (_request, response) => response.writeHead(409).end('{}');
    const ask = async (): Promise<number> => {
      const response = await begin(key);
      await textOf(response);
      return response.statusCode!;
    };
    let counted = 0;
    for (let taken = 1; taken > 0; counted += taken) {
      const statuses = await Promise.all([ask(), ask(), ask()]);
      taken = statuses.filter((status) => status === 409).length;
      expect(statuses.filter((status) => status === 429)).toHaveLength(3 - taken);
    }
    // A list may cost 100 units, so it is refused with the last 99.
    expect(counted).toBe(51);
    await until('all are counted', () => world.sentUnits(id) === counted);
    world.service.answer = answer;
  });

  it('pass as a file too, byte by byte, with its type, its facts and what it cost', async () => {
    const { key, id } = await world.addProject({ plan: 'enterprise', monthlyLimit: 4, rate: 1_000 });
    const answer = world.service.answer;
    const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * 31) % 256));
    const sent = {
      'content-type': 'application/vnd.apache.parquet',
      'content-disposition': 'attachment; filename="holders.parquet"',
      'x-holders-facts': '{"next":null}',
    };
    world.service.answer = (_request, response) =>
      response.writeHead(200, { ...sent, 'x-hindsight-units': '3' }).end(bytes);
    const ask = (query: string): Promise<Response> =>
      fetch(`${world.url}${PATH}/export?${query}`, { method: 'POST', headers: { 'x-api-key': key } });
    const response = await ask('limit=300');
    expect(Object.fromEntries(response.headers)).toMatchObject({ ...sent, 'x-units': '3' });
    expect(response.headers.get('access-control-expose-headers')).toContain('X-Holders-Facts');
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    await until('it is counted', () => world.sentUnits(id) === 3);
    // One unit is left, and this one may cost two.
    expect((await ask('limit=101')).status).toBe(429);
    expect((await ask('limit=100')).status).toBe(200);
    world.service.answer = answer;
  });
});
