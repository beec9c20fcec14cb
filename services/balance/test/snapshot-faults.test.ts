/** Snapshots of many holders: what they cost the nodes, and what is left of them when something breaks. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, CONTRACTS, HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { startHostileNode, type HostileNode } from '@hindsight/chain/test/support/hostile-node.ts';
import { startNodeProxy } from '@hindsight/chain/test/support/node-proxy.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { runBalance, type RunningBalance } from './support/run-balance.ts';
import { askSnapshot, recordsOf, snapshotPath, type SnapshotLine } from './support/snapshots.ts';

const { ledger } = buildPlan();
const UNI = TOKENS.uni.address;
const HEIGHT = CHAIN.head - 100;
const PATH = snapshotPath({ token_address: UNI, block_height: String(HEIGHT) });
const { gasBurner, huge } = CONTRACTS;
const KNOWN = Object.values(HOLDERS);

/** Every third holder has something. */
const holder = (i: number): string =>
  i % 3 === 0 ? KNOWN[(i / 3) % KNOWN.length]! : `0x${i.toString(16).padStart(40, '1')}`;
const holders = (count: number): string[] => Array.from({ length: count }, (_, i) => holder(i));
const amountOf = (address: string, height = HEIGHT): string =>
  address.startsWith('0x1111') ? '0' : ledger.balanceAt(UNI, address, height).toString();

let devchain: Devchain;

beforeAll(async () => {
  devchain = await sharedDevchain(process.env);
});
afterAll(() => devchain.stop());

describe('a snapshot', () => {
  it('of 10,000 holders is at most 7 calls in at most 4 requests', async () => {
    const proxy = await startNodeProxy(devchain.url);
    const balance = await runBalance(proxy.url);
    Object.assign(proxy, { requests: 0, calls: 0 });
    try {
      const asked = holders(10_000);
      const { records } = await askSnapshot(balance.url + PATH, asked.join('\n'));
      expect(records.slice(1, -1).map((record) => record.balance)).toEqual(asked.map((one) => amountOf(one)));
      expect(records.at(-1)).toMatchObject({ record: 'end', holders: 10_000, errors: 0, units: 100 });
      expect(proxy.calls).toBeLessThanOrEqual(7);
      expect(proxy.requests).toBeLessThanOrEqual(4);
    } finally {
      await balance.stop();
      await proxy.close();
    }
  });

  it('that is cut anywhere is resumed by its last line and the hash of its block', async () => {
    const balance = await runBalance(devchain.url);
    const url = balance.url;
    try {
      const asked = holders(300).map((one, i) => (i % 50 === 7 ? 'nobody' : one));
      const { text, records } = await askSnapshot(
        url + snapshotPath({ token_address: UNI }),
        asked.join('\n'),
      );
      let seed = 7;
      for (let cut = 0; cut < 10; cut++) {
        seed = (seed * 48_271) % 2_147_483_647;
        const kept = recordsOf(text.slice(0, seed % text.length));
        const [facts, ...rows] = kept;
        expect(rows.some(({ record }) => record === 'end')).toBe(false);
        const last = (rows.at(-1)?.line as number | undefined) ?? 0;
        const hash = facts === undefined ? {} : { block_hash: facts.block_hash as string };
        const path = snapshotPath({ token_address: UNI, ...hash });
        const rest = await askSnapshot(url + path, asked.slice(last).join('\n'));
        const resumed = rest.records
          .slice(1, -1)
          .map((row) => ({ ...row, line: (row.line as number) + last }));
        expect([rest.records[0], ...rows, ...resumed]).toEqual(records.slice(0, -1));
        expect(rest.records.at(-1)).toMatchObject({ record: 'end', holders: asked.length - last });
      }
    } finally {
      await balance.stop();
    }
  });

  it('with a hostile token still answers for the honest ones', async () => {
    const balance = await runBalance(devchain.url);
    try {
      const burner = await askSnapshot(
        balance.url + snapshotPath({ token_address: gasBurner, block_height: String(HEIGHT) }),
        KNOWN.join('\n'),
      );
      // It is no token: nothing of it answers.
      expect(burner.status).toBe(404);
      const path = snapshotPath({ token_address: `${UNI},${huge},native`, block_height: String(HEIGHT) });
      const { records } = await askSnapshot(balance.url + path, KNOWN.join('\n'));
      expect(records.slice(1, -1)).toMatchObject(
        KNOWN.map((one) => ({
          holder: one,
          balances: { [UNI]: amountOf(one), [huge]: '0', native: ledger.nativeAt(one, HEIGHT).toString() },
        })),
      );
    } finally {
      await balance.stop();
    }
  });
});

describe('while a snapshot is under way', () => {
  const ROWS = 15_000;
  let node: HostileNode;
  let balance: RunningBalance;

  beforeEach(async () => {
    node = await startHostileNode(devchain.url);
  });
  afterEach(async () => {
    await balance.stop();
    await node.close();
  });

  /** Sends the rows; the caller reads the answer. */
  async function begin(rows: number): Promise<{ sent: ClientRequest; answer: IncomingMessage }> {
    const body = holders(rows).join('\n');
    const headers = { 'content-type': 'text/plain', 'content-length': body.length };
    const sent = request(balance.url + PATH, { method: 'POST', headers });
    sent.on('error', () => undefined);
    sent.end(body);
    const answer = await new Promise<IncomingMessage>((resolve) => sent.once('response', resolve));
    return { sent, answer: answer.on('error', () => undefined) };
  }

  /** All records of an answer, after something has happened once a part of it is there. */
  async function readAll(answer: IncomingMessage, onFirst: () => void): Promise<readonly SnapshotLine[]> {
    let text = '';
    let happened = false;
    for await (const part of answer.setEncoding('utf8')) {
      text += String(part);
      if (!happened && text.includes('"line":1,')) {
        happened = true;
        onFirst();
      }
    }
    return recordsOf(text);
  }

  it('another node takes over where the first one dies', async () => {
    balance = await runBalance([node.url, devchain.url]);
    const { answer } = await begin(ROWS);
    const records = await readAll(answer, () => node.behave({ kind: 'reset' }));
    expect(records.at(-1)).toMatchObject({ record: 'end', holders: ROWS, errors: 0 });
    expect(records.slice(1, -1).map((record) => record.balance)).toEqual(
      holders(ROWS).map((one) => amountOf(one)),
    );
  });

  it.each([
    ['dies', { kind: 'reset' }],
    ['hangs', { kind: 'hang' }],
  ] as const)('the only node %s: the remaining rows are errors, and the end comes', async (_what, how) => {
    balance = await runBalance(node.url, { deadlineMs: 1_000, timeoutMs: 600 });
    // A busy machine's node may miss this deadline before anything has gone wrong: then no answer begins.
    let { answer } = await begin(ROWS);
    for (; answer.statusCode !== 200; { answer } = await begin(ROWS)) answer.resume();
    const records = await readAll(answer, () => node.behave(how));
    const rows = records.slice(1, -1);
    const failed = rows.filter(({ record }) => record === 'error');
    expect(rows.map(({ line }) => line)).toEqual(Array.from({ length: ROWS }, (_, i) => i + 1));
    expect(failed.length).toBeGreaterThan(0);
    for (const { error } of failed) expect([503, 504]).toContain((error as SnapshotLine).statusCode);
    for (const row of rows)
      if (row.record === 'balance') expect(row.balance).toBe(amountOf(row.holder as string));
    expect(records.at(-1)).toMatchObject({ record: 'end', holders: ROWS, errors: failed.length });
  });

  it('others that ask slowly answered questions leave it a place', async () => {
    balance = await runBalance(node.url);
    const release = Promise.withResolvers<void>();
    const slow = '5107'.repeat(9);
    node.behave({ kind: 'held', until: release.promise, of: slow });
    const rows = 15_000;
    const slowly = Array.from({ length: rows }, (_, i) => `0x${slow}${i.toString(16).padStart(4, '0')}`);
    const asked = [1, 2].map(() => askSnapshot(balance.url + PATH, slowly.join('\n')));
    await until('both are read', () => node.underWay >= 4);
    // All of their windows would have a place by then.
    await sleep(300);
    const { records } = await askSnapshot(balance.url + PATH, KNOWN.join('\n'));
    expect(records.at(-1)).toMatchObject({ record: 'end', holders: KNOWN.length, errors: 0 });
    release.resolve();
    for (const answer of await Promise.all(asked))
      expect(answer.records.at(-1)).toMatchObject({ record: 'end', holders: rows, errors: 0, sum: '0' });
  });

  it('a client that leaves costs the nodes nothing further', async () => {
    balance = await runBalance(node.url);
    const { sent, answer } = await begin(ROWS);
    await new Promise((resolve) => answer.once('data', resolve));
    node.behave({ kind: 'hang' });
    const answered = node.requests;
    // It waits for this one until it knows that the client has left.
    await until('the node is asked again', () => node.requests > answered);
    sent.destroy();
    await until('the node is idle', () => node.underWay === 0);
    const before = node.requests;
    await sleep(300);
    expect(node.requests).toBe(before);
  });

  it('a client that does not read stops the work', async () => {
    balance = await runBalance(node.url);
    const rows = 300_000;
    const { sent, answer } = await begin(rows);
    answer.pause();
    let [seen, quiet] = [-1, 0];
    await until('nothing is asked any more', async () => {
      quiet = node.requests === seen ? quiet + 1 : 0;
      seen = node.requests;
      await sleep(100);
      return quiet >= 20;
    });
    // All of it would be 84 requests. What is under way, and what the sockets buffer, is a few MB.
    expect(node.requests).toBeLessThan(60);
    sent.destroy();
    await until('the node is idle', () => node.underWay === 0);
  });
});
