/** For property tests: any mixture of nodes that are right, lie, lag, hang, prune or drop connections. */
import { afterAll, beforeAll } from '@jest/globals';
import fc from 'fast-check';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import { CHAIN } from '@hindsight/devchain/world.ts';
import { readAllHeaders, type Headers } from './all-headers.ts';
import { startHostileNode, type HostileNode, type Misbehaviour } from './hostile-node.ts';
import { PATIENT } from './patient.ts';

const MAX_NODES = 4;

const lying = fc.oneof(
  fc.record({ kind: fc.constant('lag' as const), blocks: fc.integer({ min: 1, max: 200 }) }),
  fc.record({ kind: fc.constant('boast' as const), blocks: fc.integer({ min: 1, max: 1_000_000 }) }),
  fc.record({
    kind: fc.constant('false-finality' as const),
    blocks: fc.integer({ min: 1, max: 1_000_000 }),
  }),
  fc.record({
    kind: fc.constant('prune' as const),
    floor: fc.integer({ min: CHAIN.story, max: CHAIN.head + 1 }),
    how: fc.constantFrom('error' as const, 'empty' as const, 'list' as const),
  }),
  fc.record({
    kind: fc.constant('reorg' as const),
    blocks: fc.integer({ min: 1, max: 3 }),
    pinned: fc.boolean(),
  }),
  fc.constantFrom({ kind: 'null-block' as const }, { kind: 'wrong-chain' as const, chainId: 10 }),
);
const broken = fc.constantFrom<Misbehaviour>(
  { kind: 'hang' },
  { kind: 'reset' },
  { kind: 'drip' },
  { kind: 'truncated' },
  { kind: 'wrong-id' },
  { kind: 'missing-entry' },
  { kind: 'swapped' },
  { kind: 'html' },
  { kind: 'status', status: 500 },
  { kind: 'status', status: 429, headers: { 'retry-after': '1' } },
);

/** Behaviour of each node of a mixture; undefined: answers as a node should. */
export type Behaviours = readonly (Misbehaviour | undefined)[];

/** One to four nodes, a third of them right. */
export const anyBehaviours: fc.Arbitrary<Behaviours> = fc.array(
  fc.oneof(
    fc.constant(undefined),
    lying.map((how): Misbehaviour => ({ distorts: true, ...how })),
    broken,
  ),
  { minLength: 1, maxLength: MAX_NODES },
);

/**
 * Milliseconds for a question to a mixture: few where a node does not answer, for as long as that is waited; elsewhere no answer may
 * depend on speed.
 */
export function deadlineFor(behaviours: Behaviours, fewMs: number): number {
  return behaviours.some((how) => how?.kind === 'hang' || how?.kind === 'drip') ? fewMs : PATIENT.timeoutMs;
}

/** Nodes in front of the dev chain that take on any mixture. */
export interface AnyNodes {
  /** The dev chain's headers, as an honest node gives them. */
  readonly headers: Headers;
  /** Makes the nodes behave so. @returns the URLs of as many nodes as there are behaviours */
  behave(behaviours: Behaviours): readonly string[];
}

/** Open for all tests of the file that calls it. */
export function startAnyNodes(): AnyNodes {
  let devchain: Devchain;
  let headers: Headers;
  let hostiles: readonly HostileNode[];
  beforeAll(async () => {
    devchain = await sharedDevchain(process.env);
    headers = await readAllHeaders(devchain.url);
    hostiles = await Promise.all(Array.from({ length: MAX_NODES }, () => startHostileNode(devchain.url)));
  });
  afterAll(async () => {
    await Promise.all(hostiles.map((hostile) => hostile.close()));
    await devchain.stop();
  });
  return {
    get headers() {
      return headers;
    },
    behave(behaviours) {
      behaviours.forEach((how, i) => hostiles[i]!.behave(how));
      return hostiles.slice(0, behaviours.length).map(({ url }) => url);
    },
  };
}
