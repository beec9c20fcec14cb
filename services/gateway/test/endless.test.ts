/** Answers without end: what they cost, how many there may be, and how they end. */
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { openStream, type OpenStream } from '@hindsight/http/test/support/open-stream.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import type { ServerResponse } from 'node:http';
import { PLENTY, startGatewayWorld } from './support/gateway-world.ts';

const PATH = '/v1/eth-mainnet/orders/stream';
const MOST = 5;

let open: ServerResponse[];
let left: number;

const world = forAllTests(startGatewayWorld, 'close');
beforeEach(() => {
  [open, left] = [[], 0];
  world.service.received.length = 0;
  world.service.answer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('id: 1\n\n');
    response.once('close', () => (left += 1));
    open.push(response);
  };
});

const begin = (key: string, of = world): Promise<OpenStream> =>
  openStream(of.url + PATH, { 'x-api-key': key, 'last-event-id': '/orders/x:7' });

describe('an answer without end', () => {
  it('passes as it comes, costs one unit at its opening, and ends at the service when its client leaves', async () => {
    const { key, id } = await world.addProject(PLENTY);
    const reader = await begin(key);
    expect([reader.status, reader.headers['x-units']]).toEqual([200, '1']);
    expect(await reader.until('\n\n')).toBe('id: 1\n\n');
    open[0]!.write('id: 2\n\n');
    expect(await reader.until('\n\n', 2)).toBe('id: 1\n\nid: 2\n\n');
    expect(world.service.received[0]!.headers['last-event-id']).toBe('/orders/x:7');
    await until('it is counted', () => world.sentUnits(id) === 1);
    reader.leave();
    await until('the service sees it', () => left === 1);
  });

  it('reports what is left of the cap of its key', async () => {
    const { id } = await world.addProject(PLENTY);
    const { secret } = await world.projects.createKey(id, { name: 'Capped', monthlyCap: 7 });
    const reader = await begin(secret);
    expect(reader.headers.ratelimit).toMatch(/"month";r=6;/);
    reader.leave();
    await until('the service sees it', () => left === 1);
  });

  it(`has one of ${MOST} places of its project`, async () => {
    const { key } = await world.addProject(PLENTY);
    const readers = await Promise.all(Array.from({ length: MOST }, () => begin(key)));
    const refused = await begin(key);
    expect([refused.status, refused.headers['x-units']]).toEqual([429, '0']);
    expect(await refused.end()).toContain('Too many event streams: a project may have 5');
    readers.pop()!.leave();
    await until('the service sees it', () => left === 1);
    let again = await begin(key);
    while (again.status === 429) again = await begin(key);
    for (const each of [...readers, again]) each.leave();
  });

  it('that is refused is passed on', async () => {
    const { key } = await world.addProject(PLENTY);
    world.service.answer = (_request, response) => response.writeHead(400).end('no');
    const refused = await begin(key);
    expect([refused.status, await refused.end()]).toEqual([400, 'no']);
  });

  it('ends whole when the gateway stops', async () => {
    const other = await startGatewayWorld();
    other.service.answer = world.service.answer;
    const { key } = await other.addProject(PLENTY);
    const reader = await begin(key, other);
    await reader.until('\n\n');
    await other.close();
    expect(await reader.end()).toBe('id: 1\n\n');
  });
});
