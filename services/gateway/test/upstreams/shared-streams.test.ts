/** Streams without end, shared by their followers: one stream of the service, and all of its events for each of them, once. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { createPoolUpstream } from '../../src/upstreams/pool-upstream.ts';
import { shareStreams } from '../../src/upstreams/shared-streams.ts';
import type { Exchange, Upstream } from '../../src/upstreams/upstream.ts';
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
  const request = { method: 'GET', path: PATH, headers: [...resumed], body: null, endless: true };
  const exchange = of.dispatch(request, {
    head: (status) => expect(status).toBe(200),
    data: (chunk) => ((reader.text += chunk.toString()), !reader.isFull),
    end: () => void (reader.outcome = 'ended'),
    fail: (error) => void (reader.outcome = error),
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

  it('begin behind the event that each names', async () => {
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
    const [slow, other] = [follow(), follow()];
    await shared(2);
    slow.isFull = true;
    publish(1);
    await got([1], slow, other);
    publish(3);
    await got(numbersUpTo(4), other);
    expect(slow.numbers()).toEqual([1]);
    slow.isFull = false;
    slow.exchange.resume();
    await got(numbersUpTo(4), slow);
    expect(service.opened).toBe(3);
  });

  it('that is too far behind has a stream of its own until it is up to date', async () => {
    upstream = shareOf(service, LITTLE_ROOM);
    const [slow, other] = [follow(), follow()];
    await shared(2);
    slow.isFull = true;
    publish(1);
    await got([1], slow, other);
    publish(11);
    await got(numbersUpTo(12), other);
    slow.isFull = false;
    slow.exchange.resume();
    await got(numbersUpTo(12), slow);
    expect(service.opened).toBe(4);
    await until('both share one stream again', () => service.open === 1);
    publish(1);
    await got(numbersUpTo(13), slow, other);
  });
});

describe('when its service breaks off the shared stream', () => {
  it.each(['endAll', 'cutAll'] as const)(
    'its followers go on behind their last event (%s)',
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
    const random = randomOf(seed);
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
      else if (chance < 0.9) {
        reader.isFull = false;
        reader.exchange.resume();
      } else if (chance < 0.93) service.cutAll();
      else if (chance < 0.96) service.endAll();
      else readers.push(follow(Math.floor(random() * published)));
      if (random() < 0.5) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    service.publish();
    published++;
    for (const reader of readers) {
      reader.isFull = false;
      reader.exchange.resume();
    }
    // One whose stream broke off before it could share another was told so.
    const left = readers.filter(({ outcome }) => outcome === undefined);
    await until('all others are up to date', () =>
      left.every((reader) => reader.outcome !== undefined || reader.numbers().at(-1) === lastOf(published)),
    );
    for (const reader of readers) {
      const numbers = reader.numbers();
      expect(numbers).toEqual(numbersUpTo(numbers.at(-1) ?? reader.after, reader.after));
    }
    expect(readers.filter(({ outcome }) => outcome === undefined).length).toBeGreaterThan(0);
  });
});

/** The last event of the stream up to this number. */
function lastOf(published: number): number {
  return numbersUpTo(published).at(-1)!;
}

/** A seeded source of numbers from 0 to 1. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
