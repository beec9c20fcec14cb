/** For tests: two hostile nodes in front of the dev chain, and failovers over them. */
import { Writable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import { CHAIN, HOLDERS } from '@hindsight/devchain/world.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { Failover, type FailoverLimits } from '../../src/pool/failover.ts';
import type { CarriedNode } from '../../src/state/multicall/carriers/carried-node.ts';
import { carriedJsonRpc } from './carried-json-rpc.ts';
import { sendOne } from '../../src/rpc/node.ts';
import { startHostileNode, type HostileNode } from './hostile-node.ts';

/** For all attempts together, in cases of a hanging node. */
export const DEADLINE_MS = 4_000;
/**
 * Excess over the deadline on a busy machine; without a deadline, a question to a hanging node never ends.
 */
export const SLACK_MS = 60_000;
/** Part of every node's URL. */
export const KEY = 'a-key-that-no-log-may-show';
/** The same in other cases: no machine is this slow. */
const PATIENCE_MS = 60_000;
/** Longer than any test. */
export const NEVER = 1_000_000;

/** Two nodes that misbehave on demand. */
export interface Pair {
  readonly first: HostileNode;
  readonly second: HostileNode;
  /** Log of the failovers. */
  readonly log: string;
  open(hostiles: readonly HostileNode[], limits?: Partial<FailoverLimits>): Failover;
  /** Sends one question, and waits until every head is known and nothing is asked any more, in the background either. */
  settle(node: Failover): Promise<void>;
}

/** A fresh pair for each test of the file that calls it, in front of one dev chain; closed after each. */
export function pairForEachTest(): Pair {
  let devchain: Devchain;
  let pair: Awaited<ReturnType<typeof startPair>>;
  beforeAll(async () => {
    devchain = await sharedDevchain(process.env);
  });
  afterAll(() => devchain.stop());
  beforeEach(async () => {
    pair = await startPair(devchain.url);
  });
  afterEach(() => pair.close());
  return {
    get first() {
      return pair.first;
    },
    get second() {
      return pair.second;
    },
    get log() {
      return pair.log;
    },
    open: (hostiles, limits) => pair.open(hostiles, limits),
    settle: (node) => pair.settle(node),
  };
}

async function startPair(devchainUrl: string): Promise<Pair & { close(): Promise<void> }> {
  const [first, second] = await Promise.all([startHostileNode(devchainUrl), startHostileNode(devchainUrl)]);
  const opened: Failover[] = [];
  let underWay = 0;
  /** Counts requests, those in the background too: a node's head is known before what it keeps. */
  const counted = (node: CarriedNode): CarriedNode => ({
    ...node,
    async send(calls, options) {
      underWay += 1;
      try {
        return await node.send(calls, options);
      } finally {
        underWay -= 1;
      }
    },
  });
  let log = '';
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      log += chunk.toString();
      done();
    },
  });
  const logger = createLogger({ name: 'test', level: 'info', destination });
  return {
    first,
    second,
    get log() {
      return log;
    },
    open(hostiles, limits) {
      const nodes = hostiles.map(({ url }) => counted(carriedJsonRpc({ url: `${url}/v2/${KEY}` })));
      const own = {
        timeoutMs: PATIENCE_MS,
        circuit: { failures: 3, openMs: 50, maxOpenMs: 100 },
        poll: { everyMs: NEVER, idleMs: NEVER },
      };
      const node = new Failover({ nodes, chainId: CHAIN.id, logger, limits: { ...own, ...limits } });
      opened.push(node);
      return node;
    },
    async settle(node) {
      await ask(node);
      await until('every head is known, and nothing is asked', () => {
        return underWay === 0 && node.health().every(({ head }) => head !== undefined);
      });
    },
    async close() {
      await Promise.all(opened.map((node) => node.close()));
      await Promise.all([first.close(), second.close()]);
    },
  };
}

/** A question that every node can answer. */
export function ask(node: Failover): Promise<unknown> {
  return sendOne(node, 'eth_getBalance', [HOLDERS.alice, hex(CHAIN.head - 5)]);
}

/** A height as JSON-RPC writes it. */
export function hex(value: number): string {
  return `0x${value.toString(16)}`;
}

/** Waits. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
