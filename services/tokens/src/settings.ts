import { choice, integer, type Config, type Setting } from '@hindsight/kernel/config.ts';
import { NETWORK_NAME, PUBLIC_URL } from '@hindsight/kernel/service-settings.ts';
import type { WalkSettings } from '@hindsight/indexing/walk.ts';
import { z } from 'zod';

interface FirstBlocks {
  readonly all: number;
  readonly byNetwork: ReadonlyMap<string, number>;
}

const BLOCKS_EXPECTED =
  'expected a block from 0 to 1000000000000, or base-mainnet=0 for that of one network, separated by commas, each network once';

function firstBlocks(about: string): Setting<FirstBlocks | undefined> {
  const schema = z
    .string()
    .max(4_096, BLOCKS_EXPECTED)
    .transform((text, context): FirstBlocks => {
      const blocks = new Map<string, number>();
      for (const entry of text.split(',')) {
        const [, network = '', digits] = /^\s*(?:([^=\s]+)=)?(\d{1,13})\s*$/.exec(entry) ?? [];
        const block = Number(digits);
        const isRight =
          block <= 1e12 && (network === '' || NETWORK_NAME.test(network)) && !blocks.has(network);
        if (!isRight) context.addIssue({ code: 'custom', message: BLOCKS_EXPECTED });
        blocks.set(network, block);
      }
      return { all: blocks.get('') ?? 0, byNetwork: blocks };
    });
  return { about, schema: schema.optional() };
}

/** The settings of this service, wherever it runs. */
export const TOKEN_SETTINGS = {
  PUBLIC_URL,
  TOKENS_INDEX: choice('whether this instance takes part in indexing, or only serves', ['on', 'off'], 'on'),
  TOKENS_FROM_BLOCK: firstBlocks(
    'the block from which on tokens are indexed, of all networks or, as base-mainnet=0, of one, separated by commas; 0 if not set',
  ),
  TOKENS_RANGES_IN_FLIGHT: integer('ranges of blocks that are read at the same time', {
    min: 1,
    max: 64,
    default: 4,
  }),
  TOKENS_MOST_BLOCKS: integer('the most blocks to request at once', {
    min: 1,
    max: 1_000_000,
    default: 10_000,
  }),
  TOKENS_LEASE_MS: integer(
    'milliseconds after which another instance takes over from one that has gone silent',
    { min: 100, max: 600_000, default: 10_000 },
  ),
  TOKENS_POLL_MS: integer('milliseconds between looks for new finalized blocks', {
    min: 50,
    max: 600_000,
    default: 6_000,
  }),
};

/** Options of the indexer of a network, from the settings. @param network its name */
export function indexerSettings(config: Config<typeof TOKEN_SETTINGS>, network: string) {
  const { all, byNetwork } = config.TOKENS_FROM_BLOCK ?? { all: 0, byNetwork: new Map<string, number>() };
  return {
    fromBlock: byNetwork.get(network) ?? all,
    inFlight: config.TOKENS_RANGES_IN_FLIGHT,
    maxBlocks: config.TOKENS_MOST_BLOCKS,
    pollMs: config.TOKENS_POLL_MS,
    leaseMs: config.TOKENS_LEASE_MS,
  } satisfies Partial<WalkSettings>;
}
