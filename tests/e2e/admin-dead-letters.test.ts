/** `npm run admin -- dead-letters …` on what a subscriber has really refused. */
import { EventsRefused } from '@hindsight/bus/errors.ts';
import { openBus } from '@hindsight/bus/open.ts';
import type { Bus, ReceivedEvent } from '@hindsight/bus/port.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runAdminHere } from '../support/admin-here.ts';

const TOPIC = 'projects.changed';

describe('npm run admin -- dead-letters', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-admin-letters-'));
  const received: ReceivedEvent[] = [];
  let refusing = true;
  let lifecycle: Lifecycle;
  let bus: Bus;

  const admin = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runAdminHere({ DATA_DIR: folder }, 'dead-letters', ...words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  const json = async (...words: string[]): Promise<unknown> => JSON.parse(await admin(...words, '--json'));
  const failing = (...words: string[]) => runAdminHere({ DATA_DIR: folder }, 'dead-letters', ...words);
  const changed = (id: string) => ({
    type: 'suspended' as const,
    id,
    source: '/test/producer',
    sequence: 7,
    time: Date.UTC(2026, 10, 1),
    data: { projectId: 'p-1', change: 'suspended' as const, at: '2026-11-01T00:00:00.000Z' },
  });
  const ids = (): string[] => received.map(({ id }) => id);

  beforeAll(async () => {
    const logger = createLogger({ name: 'test', level: 'silent' });
    lifecycle = createLifecycle(logger);
    ({ bus } = await openBus({ dataDir: folder }, { logger, clock: systemClock, ids: randomIds, lifecycle }));
    await bus.subscribe({ group: 'accounting', topics: [TOPIC] }, async (events) => {
      received.push(...events);
      if (refusing) throw new EventsRefused(new Map(events.map((event) => [event, 'the books\nare closed'])));
    });
  });

  afterAll(async () => {
    await lifecycle.shutdown('end of test');
    rmSync(folder, { recursive: true, force: true });
  });

  it('lists nothing when there are no dead letters', async () => {
    expect(await json('list')).toEqual({ letters: [], total: 0 });
    expect(await json('replay', '--topic', TOPIC, '--all')).toEqual({ topic: TOPIC, putBack: 0, left: 0 });
  });

  it('lists what a consumer refused, and what is not an event of its topic', async () => {
    await bus.publish(TOPIC, [changed('one'), changed('two')]);
    await until('both dead letters', async () => {
      const { total } = (await json('list')) as { total: number };
      return total === 2;
    });
    const verdict = { reason: 'its signature is unknown', producer: 'orders', type: 'change-unverified' };
    await bus.publishDeadLetter(TOPIC, changed('three'), verdict);
    const refused = { topic: TOPIC, type: 'suspended', group: 'accounting', replayable: true };
    expect(await json('list', '--topic', TOPIC)).toEqual({
      total: 3,
      letters: [
        expect.objectContaining({ ...refused, event: 'one', reason: 'EventsRefused: the books\nare closed' }),
        expect.objectContaining({ ...refused, event: 'two', at: expect.stringMatching(/^\d{4}-.*Z$/) }),
        expect.objectContaining({
          event: 'three',
          type: 'change-unverified',
          group: 'orders',
          replayable: false,
          position: expect.stringMatching(/^0\/\d+$/),
        }),
      ],
    });
    const table = (await admin('list', '--limit', '2')).split('\n');
    expect(table[1]).toMatch(
      / projects\.changed +two +accounting +yes +EventsRefused: the books are closed$/,
    );
    expect(table[2]).toMatch(/ three +orders +no \(change-unverified\) +its signature is unknown$/);
    expect(table[3]).toBe('2 of 3; --limit shows more.');
    expect(await json('list', '--topic', 'orders.received')).toEqual({ letters: [], total: 0 });
  });

  it('replays one event unchanged, each time it is run', async () => {
    refusing = false;
    received.length = 0;
    const done = { topic: TOPIC, putBack: 1, left: 0 };
    expect(await json('replay', '--topic', TOPIC, '--id', 'two')).toEqual(done);
    expect(await json('replay', '--topic', TOPIC, '--id', 'two')).toEqual(done);
    await until('the event, twice', () => received.length === 2);
    for (const event of received) expect(event).toMatchObject({ ...changed('two'), topic: TOPIC });
    expect(await json('replay', '--topic', TOPIC, '--id', 'three')).toEqual({ ...done, putBack: 0, left: 1 });
    expect(await failing('replay', '--topic', TOPIC, '--id', 'four')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no dead letter of projects.changed has the event "four"'),
    });
  });

  it('replays all that it has not replayed before, and reports what is not an event', async () => {
    received.length = 0;
    const first = await json('replay', '--topic', TOPIC, '--all', '--limit', '1');
    expect(first).toEqual({ topic: TOPIC, putBack: 1, left: 0 });
    expect(await admin('replay', '--topic', TOPIC, '--all')).toBe(
      'topic         projects.changed\nreplayed      1\nnot replayed  1\n' +
        'Dead letters that are not events of projects.changed cannot be replayed.\n',
    );
    expect(await json('replay', '--topic', TOPIC, '--all')).toEqual({ topic: TOPIC, putBack: 0, left: 0 });
    await bus.publish(TOPIC, [changed('last')]);
    await until('the events', () => ids().includes('last'));
    expect(ids().sort()).toEqual(['last', 'one', 'two']);
    expect(await json('list')).toMatchObject({ total: 3 });
  });

  it('requires an event or --all', async () => {
    const unsaid = await failing('replay', '--topic', TOPIC);
    expect(unsaid).toMatchObject({ code: 1, stderr: expect.stringContaining('--id <event> or --all') });
    const empty = await failing('replay', '--topic', TOPIC, '--id', '');
    expect(empty).toMatchObject({ code: 1, stderr: expect.stringContaining('Expected the id of an event') });
    const both = await failing('replay', '--topic', TOPIC, '--id', 'one', '--all');
    expect(both).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be used with') });
    const elsewhere = { MONGODB_URL: 'mongodb://127.0.0.1:1/x', SECRETS_KEY: 'a secret of some length' };
    const list = await runAdminHere(elsewhere, 'dead-letters', 'list');
    expect(list).toMatchObject({ code: 2, stderr: expect.stringContaining('KAFKA_BROKERS is not set') });
  });
});
