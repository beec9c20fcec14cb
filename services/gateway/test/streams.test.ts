/** Bodies that pass while their answers do: their cost, and the end of either side. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { forMachines } from '@hindsight/kernel/test/support/for-machines.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { BALANCE, PLENTY, startGatewayWorld } from './support/gateway-world.ts';
import { beginSnapshot, takeSnapshot, type SentSnapshot } from './support/snapshot-client.ts';
import { echoLines } from './support/echo.ts';

const HOLDER = `${'0x'.padEnd(42, 'a')}\n`;
const MIB = 1024 * 1024;

const world = forAllTests(() => startGatewayWorld(), 'close');
beforeEach(() => {
  world.service.received.length = 0;
  world.service.answer = (request, response) => void echoLines(request, response).catch(() => undefined);
});

const ask = (key: string): Promise<Response> => fetch(world.url + BALANCE, { headers: { 'x-api-key': key } });

/** A project's counted units, once nothing more comes. */
async function counted(id: string, atLeast: number): Promise<number> {
  await until('it is sent', () => world.sentUnits(id) >= atLeast);
  // Everything recorded before is sent with this one, or before it.
  const { key, id: other } = await world.addProject(PLENTY);
  world.service.answer = (_request, response) => response.end('{}');
  await ask(key);
  await until('the spool is sent', () => world.sentUnits(other) === 1);
  return world.sentUnits(id);
}

describe('a stream', () => {
  it('passes with its headers, and its cost is a trailer; exactly that is counted', async () => {
    const { key, id } = await world.addProject(PLENTY);
    const rows = 20_001;
    const body = HOLDER.repeat(rows);
    const {
      status,
      headers,
      trailers,
      body: answer,
      complete,
    } = await takeSnapshot({ url: world.url, key, tokens: '0x1,0x2,0x3' }, body);
    expect([status, complete, answer === `facts\n${body}end ${rows}\n`]).toEqual([200, true, true]);
    expect(headers).toMatchObject({ trailer: 'x-units', 'content-type': 'application/x-ndjson' });
    expect(headers).not.toHaveProperty('x-units');
    expect(trailers).toEqual({ 'x-units': '603' });
    expect(world.service.received[0]!.headers).toMatchObject({
      'content-length': String(body.length),
      'x-hindsight-project': id,
    });
    expect(await counted(id, 603)).toBe(603);
  });

  it('whose body has passed before its answer begins has its cost in a header', async () => {
    const { key, id } = await world.addProject(PLENTY);
    world.service.answer = (request, response) => {
      request.resume();
      request.on('end', () => response.end('all'));
    };
    const csv = { 'content-type': 'text/csv; charset=utf-8' };
    const body = `holder\r\n${HOLDER.repeat(100)}`;
    const answered = await takeSnapshot({ url: world.url, key, headers: csv }, body);
    expect([answered.status, answered.headers['x-units'], answered.trailers]).toEqual([200, '1', {}]);
    expect(answered.headers.ratelimit).toContain(`"month";r=${PLENTY.monthlyLimit! - 1};`);
    const plain = await takeSnapshot({ url: world.url, key }, body);
    expect(plain.headers['x-units']).toBe('2');
    expect(await counted(id, 3)).toBe(3);
  });

  it('is paid for on disk before its answer goes out', async () => {
    const own = await startGatewayWorld();
    own.service.answer = (request, response) => void echoLines(request, response).catch(() => undefined);
    const { key } = await own.addProject(PLENTY);
    const unpaid: number[] = [];
    let looked = 0;
    const onData = (_part: string, whole: string): void => {
      const rows = whole.split('\n').length - 2;
      if (rows <= looked + 2_000) return;
      looked = rows;
      if (own.unitsOnDisk() < Math.ceil(rows / 100)) unpaid.push(rows);
    };
    const body = HOLDER.repeat(50_000);
    const { complete } = await takeSnapshot({ url: own.url, key, onData }, body);
    expect([complete, unpaid, looked > 10_000]).toEqual([true, [], true]);
    expect(own.unitsOnDisk()).toBe(500);
    await own.close();
  });

  it('goes at the pace of the service, and of the client', async () => {
    const { key } = await world.addProject(PLENTY);
    const bytes = 32 * MIB;
    const part = 'x'.repeat(64 * 1024 - 1) + '\n';
    const go = Promise.withResolvers<void>();
    let written = 0;
    world.service.answer = (request, response) => {
      response.write('facts\n');
      void go.promise.then(async () => {
        let got = 0;
        for await (const chunk of request) got += (chunk as Buffer).length;
        const write = (): void => {
          while (written < bytes) {
            written += part.length;
            if (!response.write(part)) return void response.once('drain', write);
          }
          response.end(`end ${got}\n`);
        };
        write();
      });
    };
    const snapshot = beginSnapshot({ url: world.url, key, bytes });
    let sent = 0;
    const sending = (async () => {
      while (sent < bytes) {
        await snapshot.send(part);
        sent += part.length;
      }
      snapshot.end();
    })();
    await standstill(() => sent);
    expect(sent).toBeLessThan(bytes / 2);
    go.resolve();
    await sending;
    const { body, complete } = await snapshot.answer;
    expect([complete, body.endsWith(`end ${bytes}\n`), body.length]).toEqual([
      true,
      true,
      bytes + 6 + `end ${bytes}\n`.length,
    ]);
  });

  it('that is refused costs one unit, or none; its client need not have sent it all', async () => {
    const { key, id } = await world.addProject(PLENTY);
    const body = HOLDER.repeat(100_000);
    for (const [status, cost] of [
      [400, '1'],
      [404, '1'],
      [503, '0'],
    ] as const) {
      world.service.answer = (_request, response) => response.writeHead(status).end('{"message":"no"}');
      const refused = await takeSnapshot({ url: world.url, key }, body);
      expect([refused.status, refused.headers['x-units'], refused.body]).toEqual([
        status,
        cost,
        '{"message":"no"}',
      ]);
    }
    expect(await counted(id, 2)).toBe(2);
  });

  it('is refused without a length, beyond its limit, and compressed', async () => {
    const { key } = await world.addProject(PLENTY);
    const large = beginSnapshot({ url: world.url, key, bytes: 64 * MIB + 1 });
    await large.send('x');
    const zipped = takeSnapshot({ url: world.url, key, headers: { 'content-encoding': 'gzip' } }, 'x');
    const unknown = fetch(`${world.url}/v1/eth-mainnet/balance/snapshot`, {
      method: 'POST',
      headers: { 'x-api-key': key },
      body: new Blob(['x']).stream(),
      duplex: 'half',
    });
    const statuses = [(await large.answer).status, (await zipped).status, (await unknown).status];
    expect(statuses).toEqual([413, 415, 411]);
    expect(world.service.received).toEqual([]);
  });
});

describe('a client that leaves', () => {
  it.each([
    ['before its answer begins', false],
    ['in the middle of its answer', true],
  ])('%s pays for the rows that have passed, and has the rest of its units again', async (_when, answers) => {
    const { key } = await world.addProject({ ...PLENTY, monthlyLimit: 60 });
    const rows = 250;
    const bytes = rows * HOLDER.length;
    const got = Promise.withResolvers<void>();
    const cancelled = new Promise<void>((resolve) => {
      world.service.answer = (request, response) => {
        if (answers) response.write('facts\n');
        response.on('close', resolve);
        request.on('error', () => undefined);
        let length = 0;
        request.on('data', (chunk: Buffer) => {
          length += chunk.length;
          if (length === bytes) got.resolve();
        });
      };
    });
    const snapshot = beginSnapshot({ url: world.url, key, bytes: bytes + 1 });
    await snapshot.send(HOLDER.repeat(rows));
    await got.promise;
    snapshot.leave();
    await cancelled;
    world.service.answer = (_request, response) => response.end('{}');
    // It could have cost 54 units.
    await until('the rest is at hand again', async () => left(await ask(key)) > 30);
    let answered = 60 - left(await ask(key));
    while ((await ask(key)).status === 200) answered++;
    expect(answered).toBe(60);
    const usedUp = await ask(key);
    expect([usedUp.status, left(usedUp)]).toEqual([429, 0]);
  });

  it.each([
    ['before its answer begins', false],
    ['in the middle of its answer', true],
  ])('by closing its side %s pays for the rows that have passed', async (_when, answers) => {
    const { key, id } = await world.addProject(PLENTY);
    const body = HOLDER.repeat(5_000);
    const [got, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    world.service.answer = (request, response) => {
      if (answers) response.write('facts\n');
      request.on('error', () => undefined);
      let length = 0;
      request.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length === body.length) got.resolve();
      });
    };
    const client = connect({ port: Number(new URL(world.url).port), host: '127.0.0.1', allowHalfOpen: true });
    client.once('data', () => begun.resolve());
    client.on('error', () => undefined);
    client.write(
      `POST /v1/eth-mainnet/balance/snapshot?token_address=native HTTP/1.1\r\nhost: gateway\r\nx-api-key: ${key}\r\n` +
        `content-type: text/plain\r\ncontent-length: ${body.length + 1}\r\n\r\n`,
    );
    if (answers) {
      client.write(HOLDER);
      await begun.promise;
      client.write(body.slice(HOLDER.length));
    } else client.write(body);
    await got.promise;
    client.end();
    await until('it is counted', () => world.sentUnits(id) === 50);
    client.destroy();
  });

  it('pays nothing where the service breaks off, beyond what it was answered', async () => {
    const { key, id } = await world.addProject(PLENTY);
    const [first, rest] = [HOLDER.repeat(150), HOLDER.repeat(5_000)];
    const begun = Promise.withResolvers<void>();
    const bytes = first.length + rest.length + 1;
    const broken = beginSnapshot({ url: world.url, key, bytes, onData: () => begun.resolve() });
    world.service.answer = (request, response) => {
      let length = 0;
      request.once('data', () => response.write('facts\n'));
      request.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length === bytes - 1) response.destroy();
      });
      request.on('error', () => undefined);
    };
    await broken.send(first);
    await begun.promise;
    await broken.send(rest);
    const { complete, status } = await broken.answer;
    expect([status, complete]).toEqual([200, false]);
    expect(await counted(id, 1)).toBeLessThanOrEqual(2);
  });

  it('pays for the rows that have passed where it sends nothing more, in the middle of its answer', async () => {
    const own = await startGatewayWorld({ upstreamTimeoutMs: 1_500 });
    own.service.answer = (request, response) => {
      request.once('data', () => response.write('facts\n'));
      request.on('error', () => undefined);
    };
    const { key, id } = await own.addProject(PLENTY);
    const begun = Promise.withResolvers<void>();
    const rows = 5_000;
    const bytes = (rows + 1) * HOLDER.length;
    const silent = beginSnapshot({ url: own.url, key, bytes, onData: () => begun.resolve() });
    await silent.send(HOLDER);
    await begun.promise;
    await silent.send(HOLDER.repeat(rows - 1));
    expect((await silent.answer).complete).toBe(false);
    await until('it is counted', () => own.sentUnits(id) === rows / 100);
    await own.close();
  });
});

describe('snapshots at a time', () => {
  it('are two of a project; a third is refused, until one has ended', async () => {
    const [{ key }, other] = [await world.addProject(PLENTY), await world.addProject(PLENTY)];
    const held: ServerResponse[] = [];
    world.service.answer = (request, response) => {
      request.resume();
      held.push(response);
    };
    const begin = (by: string): SentSnapshot => {
      const snapshot = beginSnapshot({ url: world.url, key: by, bytes: 4 });
      void snapshot.send('0x1\n');
      snapshot.end();
      return snapshot;
    };
    const two = [begin(key), begin(key)];
    await until('both have come', () => held.length === 2);
    const refused = await begin(key).answer;
    expect([refused.status, refused.headers['retry-after'], refused.headers['x-units']]).toEqual([
      429,
      '5',
      '0',
    ]);
    expect(JSON.parse(refused.body)).toEqual({
      message: 'Too many snapshots: a project may have 2 running at a time; try again when one has ended.',
      error: 'Too Many Requests',
      statusCode: 429,
      ...forMachines('streams_exceeded'),
    });
    // Other requests, and other projects, are no part of it.
    const others = begin(other.key);
    await until('it has come', () => held.length === 3);
    for (const response of held) response.end('all');
    for (const snapshot of [...two, others]) expect((await snapshot.answer).status).toBe(200);
    world.service.answer = (_request, response) => response.end('{}');
    expect((await ask(key)).status).toBe(200);
    await until('there is room again', async () => (await begin(key).answer).status === 200);
  });
});

it('a gateway that stops ends the streams that do not end by themselves; what was answered is counted', async () => {
  const own = await startGatewayWorld();
  const { key } = await own.addProject(PLENTY);
  own.service.answer = (request, response) => {
    request.once('data', () => response.write('facts\n'));
    request.on('error', () => undefined);
  };
  const begun = Promise.withResolvers<void>();
  const snapshot = beginSnapshot({ url: own.url, key, bytes: 100_000, onData: () => begun.resolve() });
  await snapshot.send(HOLDER.repeat(150));
  await begun.promise;
  await own.close();
  expect(await snapshot.answer).toMatchObject({ status: 200, complete: false });
});

/** The rest of the month in an answer. */
function left({ headers }: Response): number {
  return Number(/"month";r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
}

/** Resolves when a number no longer rises. */
async function standstill(read: () => number): Promise<void> {
  for (let before = -1; before !== read() || before === 0; await sleep(500)) before = read();
}
