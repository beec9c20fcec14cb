/** The rule by which a network's blocks count as final, for every reader that asks. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { DateSearch } from '../../src/dates/date-search.ts';
import { ETH_MAINNET, type FinalityRule } from '../../src/networks.ts';
import { Failover } from '../../src/pool/failover.ts';
import { ruleFinality } from '../../src/pool/finality-node.ts';
import { nodeReadiness } from '../../src/readiness.ts';
import { createJsonRpcNode } from '../../src/rpc/json-rpc.ts';
import { readHeaders } from '../../src/state/headers.ts';
import { KnownBlocks } from '../../src/state/known-blocks.ts';
import { ChainReader } from '../../src/state/reader.ts';
import { startHeaderServer } from '../support/header-server.ts';
import { PATIENT } from '../support/patient.ts';

const HEAD = 1_000;
const times = Array.from({ length: HEAD + 1 }, (_, i) => 1_000 + i);
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

interface Chain {
  readonly node: Failover;
  readonly lines: string[];
  /** May be changed. */
  readonly served: { finalized: number | null };
}

/** A chain of 1,001 blocks whose node reports that finalized block. */
async function serve(rule: FinalityRule | undefined, finalized: number | null): Promise<Chain> {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ name: 'test', level: 'info', destination });
  const served = { times, finalized, call: () => ({ result: '0x1' }) };
  const server = await startHeaderServer(served);
  const ruled = ruleFinality(
    createJsonRpcNode({ url: server.url, label: 'node 1', ...PATIENT }),
    rule,
    logger,
  );
  const node = new Failover({ nodes: [ruled], chainId: 1, limits: PATIENT });
  closers.push(
    () => node.close(),
    () => server.close(),
  );
  return { node, lines, served };
}

/** True if the block at a height is final, as one process after the other sees it that begins now. */
async function isFinal(
  { node }: Chain,
  height: number,
  ask: 'reader' | 'dates' = 'reader',
): Promise<boolean> {
  const clock = { now: () => 10_000_000 };
  const known = new KnownBlocks(clock, 0);
  const reader = new ChainReader({ node, network: ETH_MAINNET, clock, known });
  if (ask === 'dates') await new DateSearch({ node, clock, known }).findBlockAt(1_000 + height);
  return reader.isFinalized(await reader.findBlock(height));
}

describe('finality by the tag', () => {
  const rule: FinalityRule = { tag: 'finalized', greatestAge: 100 };

  it('is believed up to the greatest age behind the head', async () => {
    const chain = await serve(rule, HEAD - 100);
    expect([await isFinal(chain, HEAD - 100), await isFinal(chain, HEAD - 99)]).toEqual([true, false]);
    expect(chain.node.health()[0]?.finality).toEqual({ age: 100, believed: true });
    expect(chain.lines).toEqual([]);
  });

  it.each(['reader', 'dates'] as const)('makes nothing final beyond that, and says why: %s', async (ask) => {
    const chain = await serve(rule, HEAD - 101);
    expect([await isFinal(chain, 3, ask), await isFinal(chain, HEAD - 101, ask)]).toEqual([false, false]);
    expect(chain.node.health()[0]?.finality).toEqual({ age: 101, believed: false });
    expect(await nodeReadiness(chain.node).check()).toContain('finalized block too old: 101 behind the head');
    expect(chain.lines.join('')).toMatch(/"level":"warn".*"age":101.*too old/);
    expect(chain.lines).toHaveLength(1);
  });

  it('is believed again once it moves on', async () => {
    const chain = await serve(rule, 5);
    expect(await isFinal(chain, 3)).toBe(false);
    chain.served.finalized = HEAD - 2;
    expect(await isFinal(chain, 3)).toBe(true);
    expect(chain.lines.at(-1)).toMatch(/young enough again/);
    expect(await nodeReadiness(chain.node).check()).not.toContain('too old');
  });

  it('says nothing where the node has no such block, or there is no rule', async () => {
    const without = await serve(rule, null);
    expect(await isFinal(without, 3)).toBe(false);
    expect(without.node.health()[0]?.finality).toBeUndefined();
    expect(await isFinal(await serve(undefined, 5), 3)).toBe(true);
  });
});

describe('finality by depth', () => {
  it('is counted from the head, whatever the tag says', async () => {
    const chain = await serve({ depth: 64 }, HEAD);
    expect([await isFinal(chain, HEAD - 64), await isFinal(chain, HEAD - 63)]).toEqual([true, false]);
    expect(await isFinal(chain, HEAD - 64, 'dates')).toBe(true);
    const [head, finalized, first] = await readHeaders(chain.node, ['latest', 'finalized', 'earliest']);
    expect([head?.number, finalized?.number, first?.number]).toEqual([HEAD, HEAD - 64, 0]);
  });

  it('has no block on a chain that is shorter', async () => {
    const chain = await serve({ depth: HEAD + 1 }, HEAD);
    expect(await readHeaders(chain.node, ['finalized'])).toEqual([null]);
    expect(await isFinal(chain, 0)).toBe(false);
  });
});
