/** The contract of a service, over every kind of connection. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Fastify from 'fastify';
import { pipeline, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@hindsight/kernel/test/support/until.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import type { Limits } from '../../src/upstreams/limited-upstream.ts';
import { NeverSent, Overloaded, type Exchange, type Upstream } from '../../src/upstreams/upstream.ts';

/** A request that the service has got. */
interface Held {
  answer(): void;
  left: boolean;
}

/** Outcome of a request: its answer's body, or its failure. */
interface Asked {
  readonly exchange: Exchange;
  readonly outcomes: (string | Error)[];
}

/** Runs the contract. `open` reaches the service, which does not listen yet, within the limits. */
export function describeUpstream(
  name: string,
  open: (service: HttpServer, limits: Limits) => Promise<Upstream>,
): void {
  let service: HttpServer;
  let upstream: Upstream;
  /** By path, in the order in which they came. */
  let got: Map<string, Held>;

  beforeEach(async () => {
    got = new Map();
    service = Fastify() as unknown as HttpServer;
    service.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    service.post('/stream/:how', (request, reply) => {
      const { how } = request.params as { how: string };
      reply.hijack();
      const held: Held = { left: false, answer: () => undefined };
      reply.raw.once('close', () => (held.left = !reply.raw.writableFinished));
      got.set(request.url, held);
      request.raw.on('error', () => undefined);
      if (how === 'echo') pipeline(request.raw, reply.raw, () => undefined);
      else if (how === 'refuse') reply.raw.writeHead(400).end();
      else if (how === 'break') reply.raw.write('half', () => setImmediate(() => reply.raw.destroy()));
    });
    service.all('*', (request, reply) => {
      const held: Held = { left: false, answer: () => void reply.send(request.url) };
      reply.raw.once('close', () => (held.left = !reply.raw.writableFinished));
      got.set(request.url, held);
    });
    upstream = await open(service, { atOnce: 2, waiting: 2 });
  });
  afterEach(async () => {
    await upstream.close();
    service.server.closeAllConnections();
    await service.close();
  });

  /** A running stream, whose receiver is full after each part while `isFull` says so. */
  function streamTo(path: string, body: () => Readable, bytes: number) {
    const stream = {
      got: 0,
      status: 0,
      isFull: () => true,
      outcome: undefined as 'ended' | Error | undefined,
      exchange: {} as Exchange,
    };
    stream.exchange = upstream.dispatch(
      { method: 'POST', path, headers: ['content-length', String(bytes)], body },
      {
        head: (status) => void (stream.status = status),
        data: (chunk) => ((stream.got += chunk.length), !stream.isFull()),
        end: () => void (stream.outcome = 'ended'),
        fail: (error) => void (stream.outcome = error),
      },
    );
    return stream;
  }

  /** A body that does not go on. */
  function beginning(): Readable {
    const body = new Readable({ read: () => undefined });
    body.push(Buffer.from('a'));
    return body;
  }

  function ask(path: string): Asked {
    const outcomes: Asked['outcomes'] = [];
    let body = '';
    const exchange = upstream.dispatch(
      { method: 'GET', path, headers: [], body: null },
      {
        head: () => undefined,
        data: (chunk) => ((body += chunk.toString()), true),
        end: () => void outcomes.push(body),
        fail: (error) => void outcomes.push(error),
      },
    );
    return { exchange, outcomes };
  }

  const arrived = (...paths: string[]): Promise<void> =>
    until(`${paths.join()} has come`, () => paths.every((path) => got.has(path)));
  const over = (...asked: Asked[]): Promise<void> =>
    until('it is over', () => asked.every(({ outcomes }) => outcomes.length > 0));

  describe(`a service reached ${name}`, () => {
    it('gets a limited number of requests at once; a limited number more wait for their turn', async () => {
      const asked = ['/1', '/2', '/3', '/4'].map(ask);
      await arrived('/1', '/2');
      got.get('/2')!.answer();
      await arrived('/3');
      expect([...got.keys()].sort()).toEqual(['/1', '/2', '/3']);
      got.get('/1')!.answer();
      await arrived('/4');
      for (const path of ['/3', '/4']) got.get(path)!.answer();
      await over(...asked);
      expect(asked.map(({ outcomes }) => outcomes)).toEqual([['/1'], ['/2'], ['/3'], ['/4']]);
    });

    it('is not asked for more than that; any further request is refused at once', async () => {
      const asked = ['/1', '/2', '/3', '/4'].map(ask);
      const refused = ask('/5');
      expect(refused.outcomes).toEqual([]);
      await over(refused);
      expect(refused.outcomes).toEqual([expect.any(Overloaded)]);
      expect(refused.outcomes[0]).toBeInstanceOf(NeverSent);
      for (const path of ['/1', '/2', '/3', '/4']) {
        await arrived(path);
        got.get(path)!.answer();
      }
      await over(...asked);
      expect(got.has('/5')).toBe(false);
    });

    it('never sees a request that left the queue, whose place becomes free', async () => {
      const asked = ['/1', '/2', '/3', '/4'].map(ask);
      const [, , third] = asked;
      third!.exchange.cancel(new Error('left'));
      await over(third!);
      expect(third!.outcomes).toEqual([new Error('left')]);
      const fifth = ask('/5');
      for (const path of ['/1', '/2', '/4', '/5']) {
        await arrived(path);
        got.get(path)!.answer();
      }
      await over(fifth, ...asked);
      expect(fifth.outcomes).toEqual(['/5']);
      expect([...got.keys()].sort()).toEqual(['/1', '/2', '/4', '/5']);
    });

    it('sees a client leave, and gets the next request instead', async () => {
      const asked = ['/1', '/2', '/3'].map(ask);
      await arrived('/1', '/2');
      asked[0]!.exchange.cancel(new Error('left'));
      await until('the service sees it', () => got.get('/1')!.left);
      await arrived('/3');
      await over(asked[0]!);
      for (const path of ['/2', '/3']) got.get(path)!.answer();
      await over(...asked);
      expect(asked.map(({ outcomes }) => outcomes)).toEqual([[expect.any(Error)], ['/2'], ['/3']]);
    });

    it('reports each outcome once, even to a client that leaves at that moment', async () => {
      const leaving = ask('/leaving');
      await arrived('/leaving');
      got.get('/leaving')!.answer();
      leaving.exchange.cancel(new Error('left'));
      await over(leaving);
      // Both places are free again, none of them twice.
      const asked = ['/1', '/2', '/3'].map(ask);
      await arrived('/1', '/2');
      got.get('/1')!.answer();
      await arrived('/3');
      for (const path of ['/2', '/3']) got.get(path)!.answer();
      await over(...asked);
      leaving.exchange.cancel(new Error('left again'));
      expect(leaving.outcomes).toHaveLength(1);
    });

    it('passes a stream in both directions, at the pace of both', async () => {
      // More than the buffers of both connections.
      const bytes = 64 * 1024 * 1024;
      let given = 0;
      const part = Buffer.alloc(64 * 1024, 'x');
      const body = new Readable({
        read() {
          given += part.length;
          this.push(given > bytes ? null : part);
        },
      });
      const echoed = streamTo('/stream/echo', () => body, bytes);
      await until('the answer has begun', () => echoed.got > 0);
      // Its receiver has taken one part, and takes no more until it resumes.
      await standstill(() => given);
      expect(given).toBeLessThan(bytes / 2);
      echoed.isFull = () => false;
      echoed.exchange.resume();
      await until('it has ended', () => echoed.outcome !== undefined);
      expect([echoed.outcome, echoed.status, echoed.got]).toEqual(['ended', 200, bytes]);
    });

    it('sees the client of a stream leave', async () => {
      const stream = streamTo('/stream/hold', beginning, 100);
      await until('it has come', () => got.has('/stream/hold'));
      stream.exchange.cancel(new Error('left'));
      await until('the service sees it', () => got.get('/stream/hold')!.left);
      await until('it has failed', () => stream.outcome !== undefined);
      expect(stream.outcome).toBeInstanceOf(Error);
    });

    it('may answer a stream before it has read it', async () => {
      const stream = streamTo('/stream/refuse', beginning, 100);
      await until('it has ended', () => stream.outcome !== undefined);
      expect([stream.outcome, stream.status]).toEqual(['ended', 400]);
    });

    it('reports a stream whose answer breaks off', async () => {
      const stream = streamTo('/stream/break', () => Readable.from([Buffer.from('abc')]), 3);
      stream.isFull = () => false;
      await until('it has failed', () => stream.outcome !== undefined);
      expect([stream.outcome, stream.status]).toEqual([expect.any(Error), 200]);
    });

    it('leaves no request waiting when it is closed', async () => {
      const asked = ['/1', '/2', '/3', '/4'].map(ask);
      await arrived('/1', '/2');
      const closed = upstream.close();
      await until('the waiting requests have failed', () =>
        asked.slice(2).every(({ outcomes }) => outcomes.length > 0),
      );
      expect(asked.slice(2).map(({ outcomes }) => outcomes)).toEqual([
        [expect.any(NeverSent)],
        [expect.any(NeverSent)],
      ]);
      for (const path of ['/1', '/2']) got.get(path)!.answer();
      await closed;
      expect([...got.keys()].sort()).toEqual(['/1', '/2']);
    });
  });
}

/** Resolves when a number no longer rises. */
async function standstill(read: () => number): Promise<void> {
  for (let before = -1; before !== read(); await sleep(300)) before = read();
}
