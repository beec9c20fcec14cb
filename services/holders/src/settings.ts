import { integer, optionalConnectionString, type Config, type Setting } from '@hindsight/kernel/config.ts';
import type { WalkSettings } from '@hindsight/indexing/walk.ts';
import { z } from 'zod';
import { MAX_TOKENS, readTracks, type Track } from './domain/tracks.ts';

/** Tracks from `all`, or addresses; none if not set. */
const INDEX_TOKENS: Setting<readonly Track[]> = {
  about: `tokens whose holders are indexed: \`all\`, or addresses separated by commas, ${MAX_TOKENS} at the most; none if not set`,
  schema: z
    .string()
    .optional()
    .transform((text = '', context) => {
      const read = readTracks(text);
      if (typeof read !== 'string') return read;
      context.addIssue({ code: 'custom', message: read });
      return z.NEVER;
    }),
};

/** The settings that are this service's own, wherever it runs. */
export const HOLDER_SETTINGS = {
  INDEX_TOKENS,
  INDEX_FROM: integer(
    'the block from which on holders are indexed; earlier than the tokens, or some are missing',
    {
      min: 0,
      max: 1_000_000_000_000,
      default: 0,
    },
  ),
  INDEX_MEMORY_MB: integer('mebibytes for the embedded engine of the index; beyond them it uses the disk', {
    min: 64,
    max: 65_536,
    default: 256,
  }),
  INDEX_THREADS: integer('threads of the embedded engine of the index', { min: 1, max: 64, default: 2 }),
};

/** The URL of ClickHouse; a setting of the service's process. */
export const CLICKHOUSE_URL = optionalConnectionString(
  'where ClickHouse is, which keeps the index; the embedded engine if not set',
  ['http', 'https'],
);

/** The settings of each walk. Several walks share the node. */
export function walkSettings(config: Config<typeof HOLDER_SETTINGS>): Partial<WalkSettings> {
  const { INDEX_FROM: fromBlock, INDEX_TOKENS: tracks } = config;
  return { fromBlock, ...(tracks.length > 1 ? { inFlight: 1 } : {}) };
}
