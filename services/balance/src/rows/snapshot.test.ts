/** When a snapshot holds a place among the windows of all; its nodes answer when the test says so, which no node does. */
import { describe, expect, it } from '@jest/globals';
import { BodyRows } from '@hindsight/api/body-rows.ts';
import { unavailable } from '@hindsight/kernel/errors.ts';
import { turnsDuring } from '@hindsight/kernel/test/support/turns-during.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { NATIVE, type Amount } from '../domain/asset.ts';
import type { BalanceProver, OpenBlock } from '../ports.ts';
import { ByteBudget } from './byte-budget.ts';
import { BodyReader } from './body-reader.ts';
import { readHolder } from './holders.ts';
import { ndjson } from './snapshot-format.ts';
import { Snapshot } from './snapshot.ts';
import { WindowPlaces } from './window-places.ts';

const HOUR_MS = 3_600_000;
const HOLDER = `0x${'a1'.repeat(20)}`;
const never = new AbortController().signal;

type Read = (onProgress: () => void, count: number) => Promise<readonly Amount[]>;

/** One place. */
class Asking {
  readonly #rows: number;
  readonly places = new WindowPlaces({ places: 1, each: 1, slow: 0, slowAfterMs: HOUR_MS });
  reads = 0;
  prover: BalanceProver | undefined;
  room = new ByteBudget(1024 * 1024 * 1024);
  client: AbortSignal = never;

  constructor(rows = 1) {
    this.#rows = rows;
  }

  /** @returns the records of the answer */
  async ask(read: Read, progressWithinMs = HOUR_MS): Promise<readonly Record<string, unknown>[]> {
    const text = (await Array.fromAsync(this.pieces(read, progressWithinMs))).join('');
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  pieces(read: Read, progressWithinMs = HOUR_MS): AsyncGenerator<string> {
    return this.#snapshot(read, progressWithinMs).pieces();
  }

  #snapshot(read: Read, progressWithinMs: number): Snapshot {
    const block = { number: 7, hash: `0x${'00'.repeat(32)}`, timestamp: 7, finalized: true };
    const open: OpenBlock = {
      block,
      namesAt: undefined,
      facts: () => {
        throw new TypeError('ether has none');
      },
      resolve: () => Promise.reject(new TypeError('no name is asked for')),
      prover: () => Promise.reject(new TypeError('no proof is asked for')),
      read: (_asset, holders, _signal, onProgress = () => undefined) => {
        this.reads += 1;
        return read(onProgress, holders.length);
      },
    };
    return new Snapshot({
      open,
      assets: [NATIVE],
      facts: { record: 'facts' } as never,
      prover: this.prover,
      body: new BodyReader(Readable.from([Buffer.from(`${HOLDER}\n`.repeat(this.#rows))]), {
        rows: new BodyRows({ csv: false }),
        toRow: (raw) => readHolder('text/plain', raw),
        length: this.#rows * (HOLDER.length + 1),
        budget: new ByteBudget(1_024),
        stalledMs: HOUR_MS,
      }),
      windows: this.places,
      room: this.room,
      format: ndjson([NATIVE]),
      client: this.client,
      progressWithinMs,
      takenWithinMs: HOUR_MS,
      end: () => undefined,
    });
  }
}

const sevenEach: Read = (_onProgress, count) => Promise.resolve(Array<Amount>(count).fill(7n));
const shared = { header_rlp: '0x', account_proof: [], claim: 'account-is-balance' } as const;
/** Proves each balance at once. @param onProve called with the number of balances */
const proverWith = (onProve: (count: number) => void): BalanceProver => ({
  shared,
  prove: (holders) => {
    onProve(holders.length);
    return Promise.resolve(holders.map(() => ({ nodes: ['0xaa'] })));
  },
});
/** Room for a full window, without proofs and with them. */
const [WINDOW_BYTES, PROVEN_WINDOW_BYTES] = [4_580 * 450, 128 * 7_000];
const answered = { record: 'balance', balance: '7' };

describe('a snapshot', () => {
  it('does not count it as slow nodes that it waits for a place', async () => {
    const asking = new Asking();
    const leave = await asking.places.enter({}, never);
    const records = asking.ask(() => Promise.resolve([7n]), 20);
    await sleep(100);
    expect(asking.reads).toBe(0);
    leave();
    expect((await records)[1]).toMatchObject(answered);
  });

  it('has no place while it asks one by one', async () => {
    const asking = new Asking();
    const repeated = Promise.withResolvers<void>();
    const records = asking.ask(async (onProgress) => {
      onProgress();
      await repeated.promise;
      return [7n];
    });
    await until('the nodes are asked', () => asking.reads === 1);
    const leave = await asking.places.enter({}, never);
    leave();
    repeated.resolve();
    expect((await records)[1]).toMatchObject(answered);
  });

  it('leaves others their turn between the pieces of a window', async () => {
    const rows = 4_000;
    const asking = new Asking(rows);
    const records = asking.ask(() => Promise.resolve(Array.from({ length: rows }, () => 7n)));
    // Of its five pieces of 64 KiB, one is not full.
    expect(await turnsDuring(records)).toBeGreaterThan(4);
    expect((await records).at(-1)).toMatchObject({ record: 'end', holders: rows });
  });

  it('has no place while it pauses, and takes one again to repeat', async () => {
    const asking = new Asking();
    const outcomes: Amount[] = [unavailable('node_unavailable', 'No node answers.'), 7n];
    const records = asking.ask(() => Promise.resolve([outcomes.shift()]));
    await until('the nodes are asked', () => asking.reads === 1);
    const leave = await asking.places.enter({}, never);
    expect(asking.reads).toBe(1);
    // Longer than its pause.
    await sleep(700);
    expect(asking.reads).toBe(1);
    leave();
    expect((await records)[1]).toMatchObject(answered);
  });

  it('with proofs reads no more than 10,000 rows', async () => {
    const asking = new Asking(10_001);
    let most = 0;
    asking.prover = proverWith((count) => (most = Math.max(most, count)));
    const records = await asking.ask(sevenEach);
    const rows = records.filter(({ record }) => record === 'balance');
    expect([rows.length, most, rows.at(-1)]).toEqual([
      10_000,
      128,
      { ...answered, line: 10_000, holder: expect.any(String), proof: { nodes: [0] } },
    ]);
    expect(records.at(-1)).toMatchObject({
      record: 'error',
      line: 10_001,
      error: { message: expect.stringContaining('more than 10000 rows') },
    });
  });

  it('with proofs reads at most three windows while its client takes nothing more', async () => {
    const asking = new Asking(10_000);
    let proven = 0;
    asking.prover = proverWith((count) => (proven += count));
    const pieces = asking.pieces(sevenEach);
    // The facts, and the nodes of the first window.
    for (let taken = 0; taken < 2; taken++) await pieces.next();
    await sleep(300);
    expect(proven).toBeGreaterThanOrEqual(128);
    expect(proven).toBeLessThanOrEqual(3 * 128);
    await pieces.return(undefined);
  });

  it.each([
    ['with proofs', 10_000, 128, PROVEN_WINDOW_BYTES, proverWith(() => undefined)],
    ['without proofs', 100_000, 4_580, WINDOW_BYTES, undefined],
  ])(
    '%s waits for room while others hold what they have read',
    async (_what, rows, window, bytes, prover) => {
      const room = new ByteBudget(5 * bytes);
      let read = 0;
      const asking = Array.from({ length: 4 }, () => Object.assign(new Asking(rows), { room, prover }));
      const countEach: Read = (onProgress, count) => {
        read += count;
        return sevenEach(onProgress, count);
      };
      const answers = asking.map((one) => one.pieces(countEach));
      const firsts = answers.map(async (pieces) => [await pieces.next(), await pieces.next()]);
      await Promise.all(firsts.slice(0, 2));
      await until('there is room for no more', () => read >= 5 * window);
      await sleep(300);
      expect(read).toBe(5 * window);
      const small = Object.assign(new Asking(2), { room, prover });
      expect((await small.ask(sevenEach)).at(-1)).toMatchObject({ record: 'end', holders: 2 });
      for (const stalled of answers.slice(0, 2)) await stalled.return(undefined);
      const rest = await Promise.all(answers.slice(2).map((pieces) => Array.fromAsync(pieces)));
      for (const pieces of rest) expect(pieces.at(-1)).toContain(`{"record":"end","holders":${rows},`);
      expect(room.left).toBe(5 * bytes);
    },
  );

  it('waits for room no longer than its client', async () => {
    const room = new ByteBudget(PROVEN_WINDOW_BYTES);
    const [stalled, waiting] = [new Asking(10_000), new Asking(10_000)];
    const client = new AbortController();
    Object.assign(waiting, { client: client.signal });
    for (const one of [stalled, waiting]) Object.assign(one, { room, prover: proverWith(() => undefined) });
    const held = stalled.pieces(sevenEach);
    for (let taken = 0; taken < 2; taken++) await held.next();
    const pieces = waiting.pieces(sevenEach);
    await pieces.next();
    const next = pieces.next();
    client.abort(new Error('the client has left'));
    await expect(next).rejects.toThrow('the client has left');
    await held.return(undefined);
    expect(room.left).toBe(PROVEN_WINDOW_BYTES);
  });

  it('with proofs has a place while it asks for them, and asks again where no node answered', async () => {
    const asking = new Asking(2);
    let asked = 0;
    asking.prover = {
      shared,
      async prove(holders) {
        asked += 1;
        const other = new AbortController();
        const entered = asking.places.enter({}, other.signal);
        other.abort(new Error('no place'));
        await expect(entered).rejects.toThrow('no place');
        if (asked === 1) throw unavailable('node_unavailable', 'No node answers.');
        return holders.map(() => ({ key: '0x01', nodes: ['0xaa', '0xbb'] }));
      },
    };
    const records = await asking.ask(sevenEach);
    expect(records.slice(1, 4)).toMatchObject([
      { record: 'nodes', nodes: ['0xaa', '0xbb'] },
      { ...answered, line: 1, proof: { key: '0x01', nodes: [0, 1] } },
      { ...answered, line: 2, proof: { key: '0x01', nodes: [0, 1] } },
    ]);
    expect([asked, records.at(-1)]).toMatchObject([2, { record: 'end', errors: 0, sum: '14' }]);
  });
});
