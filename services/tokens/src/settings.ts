import { choice, integer, type Config } from '@hindsight/kernel/config.ts';
import { PUBLIC_URL } from '@hindsight/kernel/service-settings.ts';
import type { WalkSettings } from '@hindsight/indexing/walk.ts';

/** The settings of this service, wherever it runs. */
export const TOKEN_SETTINGS = {
  PUBLIC_URL,
  TOKENS_INDEX: choice('whether this instance takes part in indexing, or only serves', ['on', 'off'], 'on'),
  TOKENS_FROM_BLOCK: integer('the block from which on tokens are indexed', {
    min: 0,
    max: 1_000_000_000_000,
    default: 0,
  }),
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

/** Options of the indexer from the settings. */
export function indexerSettings(config: Config<typeof TOKEN_SETTINGS>): Partial<WalkSettings> {
  return {
    fromBlock: config.TOKENS_FROM_BLOCK,
    inFlight: config.TOKENS_RANGES_IN_FLIGHT,
    maxBlocks: config.TOKENS_MOST_BLOCKS,
    pollMs: config.TOKENS_POLL_MS,
    leaseMs: config.TOKENS_LEASE_MS,
  };
}
