/** Requests spread over several instances of a service: in turn, skipping unavailable ones, never sent twice. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import { LASTING } from '@hindsight/kernel/test/support/lasting.ts';
import type { AddressInfo } from 'node:net';
import { until } from '@hindsight/kernel/test/support/until.ts';
import type { Limits } from './limited-upstream.ts';
import { createPoolUpstream } from './pool-upstream.ts';
import { NeverSent, type Upstream } from './upstream.ts';
import { createUpstreamsInTurn } from './upstreams-in-turn.ts';

const servers: Server[] = [];
const upstreams: Upstream[] = [];
let release = (): void => undefined;
const clock = { at: 0, now: (): number => clock.at };

afterEach(async () => {
  for (const upstream of upstreams.splice(0)) await upstream.close();
  for (const server of servers.splice(0)) await stop(server);
});

/** Notes the bodies that it gets and answers with its name. */
async function instance(name: string, got: string[], port = 0): Promise<{ server: Server; port: number }> {
  const server = createServer(LASTING, (request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      got.push(`${name}: ${body}`);
      if (body === 'break') response.destroy();
      else if (body === 'hold') release = () => response.end(name);
      else response.end(name);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  servers.push(server);
  return { server, port: (server.address() as AddressInfo).port };
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  if (server.listening) await new Promise((resolve) => server.close(resolve));
}

function over(ports: readonly number[], limits?: Limits): Upstream {
  const pools = ports.map((port) =>
    createPoolUpstream({
      origin: `http://127.0.0.1:${port}`,
      bodyTimeout: 60_000,
      ...(limits && { limits }),
    }),
  );
  const upstream = createUpstreamsInTurn(pools, clock);
  upstreams.push(upstream);
  return upstream;
}

function post(upstream: Upstream, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    upstream.dispatch(
      { method: 'POST', path: '/', headers: [], body: Buffer.from(body) },
      {
        head: () => undefined,
        data: (chunk) => ((answer += chunk.toString()), true),
        end: () => resolve(answer),
        fail: reject,
      },
    );
  });
}

describe('several instances', () => {
  it('take turns', async () => {
    const ports = [(await instance('a', [])).port, (await instance('b', [])).port];
    const upstream = over(ports);
    const answers: string[] = [];
    for (let n = 0; n < 4; n++) answers.push(await post(upstream, 'x'));
    expect(answers).toEqual(['a', 'b', 'a', 'b']);
  });

  it.each([
    ['after a second', 1_000],
    ['where the clock is set back', -3_600_000],
  ])('take over for one that cannot be reached, which is tried again %s', async (_when, passed) => {
    const got: string[] = [];
    const { server, port } = await instance('a', got);
    const upstream = over([port, (await instance('b', got)).port]);
    await stop(server);
    for (const body of ['1', '2', '3']) expect(await post(upstream, body)).toBe('b');
    expect(got).toEqual(['b: 1', 'b: 2', 'b: 3']);
    await instance('a', got, port);
    // It would have its turn at every second request.
    for (const body of ['4', '5']) expect(await post(upstream, body)).toBe('b');
    clock.at += passed;
    expect([await post(upstream, '6'), await post(upstream, '7')].sort()).toEqual(['a', 'b']);
  });

  it('take over for one that has too many requests', async () => {
    const got: string[] = [];
    const ports = [(await instance('a', got)).port, (await instance('b', got)).port];
    const upstream = over(ports, { atOnce: 1, waiting: 0 });
    const held = post(upstream, 'hold');
    await until('it is held', () => got.length === 1);
    for (const body of ['1', '2', '3']) expect(await post(upstream, body)).toBe('b');
    release();
    expect(await held).toBe('a');
    expect(got).toEqual(['a: hold', 'b: 1', 'b: 2', 'b: 3']);
  });

  it('never repeat a request that one of them may have received', async () => {
    const got: string[] = [];
    const upstream = over([(await instance('a', got)).port, (await instance('b', got)).port]);
    const failure = await post(upstream, 'break').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(failure).not.toBeInstanceOf(NeverSent);
    expect(got).toEqual(['a: break']);
  });

  it('are not asked in place of one that could not be reached, once the client has left', async () => {
    const got: string[] = [];
    const { server, port } = await instance('a', got);
    const upstream = over([port, (await instance('b', got)).port]);
    await stop(server);
    const failed = Promise.withResolvers<Error>();
    const exchange = upstream.dispatch(
      { method: 'POST', path: '/', headers: [], body: Buffer.from('x') },
      { head: () => undefined, data: () => true, end: () => undefined, fail: failed.resolve },
    );
    exchange.cancel(new Error('the client left'));
    await failed.promise;
    await post(upstream, 'y');
    expect(got).toEqual(['b: y']);
  });

  it('fail when none can be reached', async () => {
    const [a, b] = [await instance('a', []), await instance('b', [])];
    const upstream = over([a.port, b.port]);
    await Promise.all([stop(a.server), stop(b.server)]);
    await expect(post(upstream, 'x')).rejects.toBeInstanceOf(NeverSent);
    const again = await instance('a', [], a.port);
    expect(again.port).toBe(a.port);
    // Passed over, but there is no other.
    expect(await post(upstream, 'y')).toBe('a');
  });
});
