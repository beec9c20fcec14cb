import { describe, expect, it } from '@jest/globals';
import { getEventListeners, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createJsonRpcNode } from '../../src/rpc/json-rpc.ts';
import type { NodeError } from '../../src/rpc/node-error.ts';
import { DEADLINE_MS, NEVER, ask, pairForEachTest } from '../support/failover-pair.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { PATIENT } from '../support/patient.ts';

const pair = pairForEachTest();
/** Timers may fire this much before the time by another clock. */
const EARLY_MS = 50;

describe('load', () => {
  it('is bounded for each node: some wait in line, the rest get a Retry-After', async () => {
    const node = pair.open([pair.first], { bulkhead: { concurrency: 2, queue: 3 } });
    await ask(node);
    pair.first.behave({ kind: 'slow', ms: 50 });
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => ask(node)));
    const failures = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    expect(failures).toHaveLength(3);
    for (const failure of failures) {
      expect(failure).toMatchObject({ kind: 'busy', details: { retryAfterMs: 1_000 } });
    }
    expect(pair.first.mostAtOnce).toBe(2);
    await ask(node);
  });

  it('in line is dropped at the deadline', async () => {
    const node = pair.open([pair.first], { timeoutMs: DEADLINE_MS, bulkhead: { concurrency: 1, queue: 10 } });
    await ask(node);
    pair.first.behave({ kind: 'hang' });
    const begun = performance.now();
    const before = pair.first.requests;
    const asked = Array.from({ length: 5 }, () =>
      ask(node).then(
        () => Promise.reject(new Error('a node that hangs has answered')),
        (error: unknown) => ({ error, afterMs: performance.now() - begun }),
      ),
    );
    for (const { error, afterMs } of await Promise.all(asked)) {
      expect(error).toMatchObject({ kind: expect.stringMatching(/^(timeout|busy)$/) });
      // Not at once: there was room in the line.
      expect(afterMs).toBeGreaterThan(DEADLINE_MS - EARLY_MS);
    }
    expect(pair.first.mostAtOnce).toBe(1);
    // Some may get the place of those before them as all reach their deadline; none waits for an answer then.
    expect(pair.first.requests - before).toBeGreaterThanOrEqual(1);
  });

  it('goes to the next node if the line of the first is full', async () => {
    const node = pair.open([pair.first, pair.second], { bulkhead: { concurrency: 2, queue: 0 } });
    await pair.settle(node);
    pair.first.behave({ kind: 'slow', ms: 50 });
    await Promise.all(Array.from({ length: 4 }, () => ask(node)));
  });

  it('is not multiplied by retries during an outage', async () => {
    const limits = {
      retry: { reserve: 3, perQuestion: 0.1 },
      circuit: { failures: NEVER, openMs: 1, maxOpenMs: 1 },
    };
    const node = pair.open([pair.first, pair.second], limits);
    await pair.settle(node);
    pair.first.behave({ kind: 'reset' });
    pair.second.behave({ kind: 'reset' });
    const before = pair.first.requests + pair.second.requests;
    for (let at = 0; at < 20; at += 1) await expect(ask(node)).rejects.toMatchObject({ kind: 'unreachable' });
    expect(pair.first.requests + pair.second.requests - before).toBeLessThanOrEqual(20 + 3 + 2);
  });

  it('goes on to a node that does not fail, however often another does', async () => {
    const node = pair.open([pair.first, pair.second], {
      retry: { reserve: 1, perQuestion: 0 },
      circuit: { failures: NEVER, openMs: 1, maxOpenMs: 1 },
    });
    await pair.settle(node);
    pair.first.behave({ kind: 'reset' });
    for (let at = 0; at < 5; at += 1) await ask(node);
    pair.second.behave({ kind: 'reset' }, 1);
    await expect(ask(node)).rejects.toMatchObject({ kind: 'unreachable' });
    await ask(node);
    await ask(node);
  });

  it('goes to the only node once more if its connection broke', async () => {
    const node = pair.open([pair.first]);
    await ask(node);
    pair.first.behave({ kind: 'reset' }, 1);
    await ask(node);
  });

  it('that the caller abandons is dropped, and does not count against the node', async () => {
    const node = pair.open([pair.first], { circuit: { failures: 1, openMs: NEVER, maxOpenMs: NEVER } });
    await ask(node);
    pair.first.behave({ kind: 'hang' });
    const reason = new Error('the client has gone');
    const controller = new AbortController();
    const asked = node.send([{ method: 'eth_blockNumber', params: [] }], { signal: controller.signal });
    setTimeout(() => controller.abort(reason), 20);
    await expect(asked).rejects.toBe(reason);
    expect(node.health()).toMatchObject([{ state: 'ok' }]);
    await until('the request is dropped', () => pair.first.underWay === 0);
  });

  it('that the caller abandons before it is sent is not sent; one that is answered leaves nothing at its signal', async () => {
    const node = createJsonRpcNode({ url: pair.first.url, ...PATIENT });
    const call = { method: 'eth_chainId', params: [] };
    const controller = new AbortController();
    const asked = node.send([call], { signal: controller.signal });
    controller.abort(new Error('the client has gone'));
    await expect(asked).rejects.toThrow('the client has gone');
    const { signal } = new AbortController();
    for (let at = 0; at < 3; at++) await node.send([call], { signal });
    expect(pair.first.requests).toBe(3);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    await node.close();
  });

  it('goes with the name and the password of the node’s URL, and a date to wait for is kept', async () => {
    let authorization: string | undefined;
    const server = createServer((request, response) => {
      ({ authorization } = request.headers);
      const date = new Date(Date.now() + 3_600_000).toUTCString();
      response.writeHead(429, { 'retry-after': date }).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const node = createJsonRpcNode({ url: `http://us%65r:p%40ss@127.0.0.1:${port}`, ...PATIENT });
    const error = await node.send([]).catch((reason: unknown) => reason as NodeError);
    expect(error).toMatchObject({ kind: 'busy' });
    expect((error as NodeError).details.retryAfterMs).toBeGreaterThan(1_800_000);
    expect(authorization).toBe(`Basic ${Buffer.from('user:p@ss').toString('base64')}`);
    await node.close();
    server.close();
  });
});
