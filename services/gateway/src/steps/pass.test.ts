/** The holder by whose share of the gateway's memory a request's body, and its unread answer, are bounded. */
import { describe, expect, it } from '@jest/globals';
import { OPERATIONS } from '@hindsight/api/operations.ts';
import { generateKey } from '@hindsight/projects/key.ts';
import type { FoundByKey } from '@hindsight/projects/ports.ts';
import { freeProjectByKey } from '@hindsight/projects/test/support/free-project.ts';
import { Readable } from 'node:stream';
import type { DirectExchange } from '../upstreams/direct-routes.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { pass } from './pass.ts';
import type { PassDeps } from './settlements/settlement.ts';

const BODY = Buffer.alloc(100_000);
const ACCOUNT = { ownerId: 'u-1' };
const DEMO = { demo: true };

/** The holders that the memory for a project's request was taken for. */
async function holdersOf(project: FoundByKey, address: string) {
  const taken: [what: string, holder: string, bytes?: number][] = [];
  const upstream: Upstream = {
    dispatch(_request, sink) {
      queueMicrotask(() => {
        sink.head(200, {});
        sink.end();
      });
      return { resume: () => undefined, cancel: () => undefined };
    },
    close: async () => undefined,
  };
  const admission = { units: 1, left: 9, day: 0 };
  const free = { waitMs: 0, left: 9 };
  const deps = {
    authentication: {
      projects: { findByKey: async () => project, remembers: () => true },
      guard: { admits: () => true },
      uses: { note: () => undefined },
      clock: { now: () => 1 },
    },
    burst: { take: () => free, takeForDemo: () => free },
    quota: { leftOf: () => 9, admit: () => admission, done: () => undefined },
    demoShare: { take: () => () => undefined },
    spool: { accepting: true, record: async () => undefined },
    tags: { known: () => undefined, sign: () => undefined },
    finalAnswers: { find: () => undefined, keep: () => undefined },
    bodies: {
      take: (holder: string, bytes: number) => {
        taken.push(['body', holder, bytes]);
        return () => undefined;
      },
    },
    unread: { keep: (holder: string) => void taken.push(['answer', holder]) },
    upstreams: { balance: upstream },
    clock: { now: () => 1 },
    upstreamTimeoutMs: 60_000,
  } as unknown as PassDeps;
  const { path, method } = OPERATIONS.getBalanceBatch;
  const headers = { 'x-api-key': generateKey(), 'content-length': String(BODY.length) };
  const request = Object.assign(Readable.from([BODY]), { method, url: path, headers, socket: {} });
  const response = {
    ...{ destroyed: false, writableLength: 1, req: request },
    ...{ once: () => undefined, writeHead: () => undefined, end: () => undefined },
  };
  const client = { address, host: 'x', protocol: 'https' };
  const exchange = { request, response, id: 'r-1', client, headers: [], bodyLimit: 1_000_000 };
  await pass(deps, OPERATIONS.getBalanceBatch, 'balance-batch', exchange as unknown as DirectExchange);
  return taken;
}

describe('the memory for a request', () => {
  it.each([
    ['a project of its own', 'p-1', {}, '198.51.100.7', 'p-1'],
    ['one project of an account', 'p-1', ACCOUNT, '198.51.100.7', 'u-1'],
    ['another project of that account', 'p-2', ACCOUNT, '198.51.100.8', 'u-1'],
    ['a visitor of the demo', 'demo', DEMO, '198.51.100.7', 'demo'],
    ['a visitor of the demo from another network', 'demo', DEMO, '203.0.113.1', 'demo'],
  ])('of %s is counted together with that of its holder', async (_what, id, more, address, holder) => {
    expect(await holdersOf(freeProjectByKey(id, more), address)).toEqual([
      ['body', holder, BODY.length],
      ['answer', holder],
    ]);
  });
});
