/** Streams without end, shared by their followers: one stream of the service, and all of its events for each of them, once. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { STREAM_HEADER } from '@hindsight/http/stream-name.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { seeded } from '@hindsight/tools/scale/random.ts';
import { EVENT_STREAMS } from '../../src/limits/slots.ts';
import { createLimitedUpstream, USUAL_LIMITS } from '../../src/upstreams/limited-upstream.ts';
import { createPoolUpstream } from '../../src/upstreams/pool-upstream.ts';
import { shareStreams } from '../../src/upstreams/shared-streams.ts';
import {
  NeverSent,
  type Exchange,
  type Upstream,
  type UpstreamRequest,
  type UpstreamSink,
} from '../../src/upstreams/upstream.ts';
import { isOurs, startEventService, type EventService } from '../support/event-service.ts';

const PATH = '/v1/eth-mainnet/orders/stream';
/** Room for two events. */
const LITTLE_ROOM = 120;

let service: EventService;
let upstream: Upstream;

beforeEach(async () => {
  service = await startEventService();
  upstream = shareOf(service);
});
afterEach(async () => {
  await upstream.close();
  await service.stop();
});

function shareOf({ origin }: EventService, keptBytes?: number): Upstream {
  return shareStreams(createPoolUpstream({ origin, bodyTimeout: 60_000 }), keptBytes);
}

/** A client of the gateway. */
interface Reader {
  readonly exchange: Exchange;
  /** It asked for the events behind this one. */
  readonly after: number;
  text: string;
  isFull: boolean;
  outcome: 'ended' | Error | undefined;
  /** Numbers of the events that came. */
  numbers(): number[];
}

function follow(after?: number, of = upstream): Reader {
  const resumed = after === undefined ? [] : ['last-event-id', `${service.source}:${after}`];
  const reader: Reader = {
    exchange: { resume: () => undefined, cancel: () => undefined },
    after: after ?? 0,
    text: '',
    isFull: false,
    outcome: undefined,
    numbers: () => [...reader.text.matchAll(/^data: \{"n":(\d+)\}$/gm)].map(([, n]) => Number(n)),
  };
  const over = (outcome: 'ended' | Error): void => {
    reader.outcome = reader.outcome === undefined ? outcome : new Error('it was over before');
  };
  const request = { method: 'GET', path: PATH, headers: [...resumed], body: null, endless: true };
  const exchange = of.dispatch(request, {
    head: (status) => expect(status).toBe(200),
    data: (chunk) => ((reader.text += chunk.toString()), !reader.isFull),
    end: () => over('ended'),
    fail: over,
  });
  return Object.assign(reader, { exchange });
}

const numbersUpTo = (last: number, after = 0): number[] =>
  Array.from({ length: last - after }, (_, at) => after + at + 1).filter(isOurs);

function publish(count: number): void {
  for (let sent = 0; sent < count; sent++) service.publish();
}

const got = (numbers: readonly number[], ...readers: Reader[]): Promise<void> =>
  until(`they have ${numbers.join()}`, () =>
    readers.every((reader) => reader.numbers().join() === numbers.join()),
  );
const shared = (readers: number): Promise<void> =>
  until('they share one stream', () => service.open === 1 && service.opened === readers + 1);

/** Two that share one stream; the first is full after its first event. */
async function followSlowly(): Promise<readonly [slow: Reader, other: Reader]> {
  const [slow, other] = [follow(), follow()];
  await shared(2);
  slow.isFull = true;
  publish(1);
  await got([1], slow, other);
  return [slow, other];
}

function takeMore(reader: Reader): void {
  reader.isFull = false;
  reader.exchange.resume();
}

describe('followers of one stream', () => {
  it('read it from its service once, and have all of its events, once and in order', async () => {
    const readers = Array.from({ length: 20 }, () => follow());
    await shared(20);
    publish(7);
    await got(numbersUpTo(7), ...readers);
    expect(new Set(readers.map(({ text }) => text))).toEqual(new Set([readers[0]!.text]));
    expect(readers[0]!.text).toMatch(/^retry: 2000\nid: \/orders\/x:0\n\nid: \/orders\/x:1\n/);
    expect(service.opened).toBe(21);
  });

  it('begin after the event that each names', async () => {
    const first = follow();
    await shared(1);
    publish(7);
    const second = follow(3);
    await got(numbersUpTo(7, 3), second);
    await until('both share one stream', () => service.open === 1);
    publish(2);
    await Promise.all([got(numbersUpTo(9), first), got(numbersUpTo(9, 3), second)]);
  });

  it('see that the stream lives', async () => {
    const readers = [follow(), follow()];
    await shared(2);
    service.comment();
    await until('both have it', () => readers.every(({ text }) => text.endsWith(': keep-alive\n\n')));
  });

  it('may wait for its next event longer than for a part of any other answer', async () => {
    upstream = shareStreams(createPoolUpstream({ origin: service.origin, bodyTimeout: 1 }));
    const readers = [follow(), follow()];
    await shared(2);
    // Such a bound is looked at twice a second.
    await sleep(1_600);
    publish(1);
    await got([1], ...readers);
    expect([service.opened, service.open]).toEqual([3, 1]);
  });

  it('end it at its service when the last of them leaves', async () => {
    const [first, second] = [follow(), follow()];
    await shared(2);
    first.exchange.cancel(new Error('left'));
    publish(1);
    await got([1], second);
    expect([first.outcome, first.numbers()]).toEqual([new Error('left'), []]);
    second.exchange.cancel(new Error('left'));
    await until('the service sees it', () => service.open === 0);
  });

  it('have room to begin beside it, as many as there may be', async () => {
    let open = 0;
    upstream = shareStreams(
      createLimitedUpstream({ dispatch: opened, close: async () => undefined }, USUAL_LIMITS),
    );
    function opened(_: UpstreamRequest, sink: UpstreamSink): Exchange {
      open++;
      setImmediate(() => {
        sink.head(200, { [STREAM_HEADER]: 'all' });
        sink.data(Buffer.from('id: x:0\n\n'));
      });
      return { resume: () => undefined, cancel: (error) => (open--, sink.fail(error)) };
    }
    const readers = Array.from({ length: EVENT_STREAMS.places.all }, () => follow());
    await until('all share one', () => open === 1);
    expect(readers.filter(({ outcome }) => outcome !== undefined)).toEqual([]);
  });

  it('share another where that could not be opened', async () => {
    const pool = createPoolUpstream({ origin: service.origin, bodyTimeout: 60_000 });
    let asked = 0;
    upstream = shareStreams({
      dispatch(request, sink) {
        if (++asked !== 3) return pool.dispatch(request, sink);
        setImmediate(() => sink.fail(new NeverSent('no connection')));
        return { resume: () => undefined, cancel: () => undefined };
      },
      close: () => pool.close(),
    });
    const readers = [follow(), follow()];
    await until('both have begun', () => readers.every(({ text }) => text !== ''));
    publish(1);
    await got([1], ...readers);
    await until('they share one', () => service.open === 1);
    publish(1);
    await got([1, 2], ...readers);
  });

  it('are over once where one leaves that has a stream of its own', async () => {
    const reader = follow();
    reader.isFull = true;
    await until('it has begun', () => reader.text !== '');
    reader.exchange.cancel(new Error('left'));
    reader.exchange.cancel(new Error('left again'));
    expect(reader.outcome).toEqual(new Error('left'));
  });

  it('share none with those of another name', async () => {
    const one = follow();
    await shared(1);
    service.name = 'other';
    const other = follow();
    await until('each name has one stream', () => service.open === 2 && service.opened === 4);
    publish(1);
    await got([1], one, other);
  });
});

describe('a slow follower', () => {
  it('goes on where it was, from what is kept', async () => {
    const [slow, other] = await followSlowly();
    publish(3);
    await got(numbersUpTo(4), other);
    expect(slow.numbers()).toEqual([1]);
    takeMore(slow);
    await got(numbersUpTo(4), slow);
    expect(service.opened).toBe(3);
  });

  it('that is too far behind has a stream of its own until it is up to date', async () => {
    upstream = shareOf(service, LITTLE_ROOM);
    const [slow, other] = await followSlowly();
    publish(11);
    await got(numbersUpTo(12), other);
    takeMore(slow);
    await got(numbersUpTo(12), slow);
    expect(service.opened).toBe(4);
    await until('both share one stream again', () => service.open === 1);
    publish(1);
    await got(numbersUpTo(13), slow, other);
  });
});

describe('what is kept', () => {
  it('is less as soon as there are more streams', async () => {
    upstream = shareOf(service, LITTLE_ROOM);
    const [slow, other] = await followSlowly();
    publish(2);
    await got(numbersUpTo(3), other);
    service.name = 'other';
    follow();
    await until('each name has one stream', () => service.open === 2 && service.opened === 5);
    service.name = 'all';
    service.comment();
    await until('the comment has come', () => other.text.endsWith(': keep-alive\n\n'));
    takeMore(slow);
    await got(numbersUpTo(3), slow);
    expect(service.opened).toBe(6);
  });
});

describe('when its service breaks off the shared stream', () => {
  it('a slow follower goes on when it can', async () => {
    const [slow, other] = await followSlowly();
    service.endAll();
    publish(3);
    await got(numbersUpTo(4), other);
    takeMore(slow);
    await got(numbersUpTo(4), slow);
  });

  it('a follower that has left opens no other', async () => {
    const pool = createPoolUpstream({ origin: service.origin, bodyTimeout: 60_000 });
    let asked = 0;
    upstream = shareStreams({
      dispatch: (...request) => (asked++, pool.dispatch(...request)),
      close: () => pool.close(),
    });
    const [slow] = await followSlowly();
    service.endAll();
    await until('the other has another', () => service.open === 1 && service.opened === 5);
    slow.exchange.cancel(new Error('left'));
    slow.exchange.resume();
    expect(asked).toBe(5);
  });

  it('again before anything has come, its followers end whole', async () => {
    const readers = [follow(), follow()];
    await shared(2);
    service.endAll();
    await until('they share another', () => service.open === 1 && service.opened === 6);
    service.endAll();
    await until('they are over', () => readers.every(({ outcome }) => outcome === 'ended'));
  });

  it('again after a sign of life, its followers go on', async () => {
    const readers = [follow(), follow()];
    await shared(2);
    service.endAll();
    await until('they share another', () => service.open === 1 && service.opened === 6);
    service.comment();
    await until('both have it', () => readers.every(({ text }) => text.endsWith(': keep-alive\n\n')));
    service.endAll();
    await until('they share a third', () => service.open === 1 && service.opened === 9);
    publish(1);
    await got([1], ...readers);
  });

  it('and answers no more, its followers end whole', async () => {
    upstream = shareStreams(
      createPoolUpstream({ origin: service.origin, bodyTimeout: 60_000, silenceMs: 1_000 }),
    );
    const readers = [follow(), follow()];
    // A busy machine may be silent for as long, so that they begin again.
    await until('they share one stream', () => service.open === 1 && service.opened > 2);
    service.hangs = true;
    service.endAll();
    await until('they are over', () => readers.every(({ outcome }) => outcome === 'ended'));
  });

  it.each(['endAll', 'cutAll'] as const)(
    'its followers go on after their last event (%s)',
    async (breakOff) => {
      const readers = Array.from({ length: 5 }, () => follow());
      await shared(5);
      publish(3);
      await got([1, 2, 3], ...readers);
      service[breakOff]();
      await until('they share one again', () => service.open === 1 && service.opened === 6 + 5 + 1);
      publish(3);
      await got(numbersUpTo(6), ...readers);
      expect(readers.map(({ outcome }) => outcome)).toEqual(readers.map(() => undefined));
    },
  );

  it('and cannot be reached, its followers end whole', async () => {
    const readers = [follow(), follow()];
    await shared(2);
    publish(1);
    await got([1], ...readers);
    await service.stop();
    await until('they are over', () => readers.every(({ outcome }) => outcome === 'ended'));
    service = await startEventService();
  });

  it('by going on with events of another source, its followers ask again', async () => {
    // So that its silence alone ends no stream.
    upstream = shareStreams(
      createPoolUpstream({ origin: service.origin, bodyTimeout: 60_000, silenceMs: 600_000 }),
    );
    const readers = [follow(), follow()];
    await shared(2);
    publish(1);
    await got([1], ...readers);
    service.source = '/orders/y';
    publish(1);
    await until('they share another', () => service.open === 1 && service.opened === 6);
    publish(1);
    await got(numbersUpTo(3), ...readers);
  });

  it('and has streams of another name, its followers end whole', async () => {
    const reader = follow();
    await shared(1);
    service.name = 'other';
    service.endAll();
    await until('it is over', () => reader.outcome === 'ended');
    await until('the service sees it', () => service.open === 0);
  });
});

describe('whatever happens to them', () => {
  it.each([1, 2, 3, 4, 5, 6])('followers miss no event and have none twice (seed %i)', async (seed) => {
    const random = seeded(seed);
    await service.stop();
    service = await startEventService((bytes) => {
      const cut = Math.floor(random() * (bytes.length + 1));
      return [bytes.subarray(0, cut), bytes.subarray(cut)].filter(({ length }) => length > 0);
    });
    upstream = shareOf(service, LITTLE_ROOM * 4);
    const readers: Reader[] = [];
    for (let reader = 0; reader < 12; reader++) readers.push(follow(0));
    let published = 0;
    for (let turn = 0; turn < 150; turn++) {
      const chance = random();
      const reader = readers[Math.floor(random() * readers.length)]!;
      if (chance < 0.5) {
        service.publish();
        published++;
      } else if (chance < 0.7) reader.isFull = true;
      else if (chance < 0.9) takeMore(reader);
      else if (chance < 0.93) service.cutAll();
      else if (chance < 0.96) service.endAll();
      else readers.push(follow(Math.floor(random() * published)));
      if (random() < 0.5) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    service.publish();
    published++;
    for (const reader of readers) takeMore(reader);
    // A client whose stream is over opens another after its last event.
    let goOn = readers;
    await until('all are up to date', () => {
      goOn = goOn.map((reader) => {
        if (reader.outcome === undefined) return reader;
        readers.push(follow(reader.numbers().at(-1) ?? reader.after));
        return readers.at(-1)!;
      });
      return goOn.every((reader) => (reader.numbers().at(-1) ?? reader.after) >= lastOf(published));
    });
    for (const reader of readers) {
      const numbers = reader.numbers();
      expect(numbers).toEqual(numbersUpTo(numbers.at(-1) ?? reader.after, reader.after));
    }
  });
});

/** The last event of the stream up to this number. */
function lastOf(published: number): number {
  return numbersUpTo(published).at(-1)!;
}
