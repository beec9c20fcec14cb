import { integer, type Config, type Setting } from '@hindsight/kernel/config.ts';
import { readSettingsFile } from '@hindsight/kernel/settings-file.ts';
import type { WalkSettings } from '@hindsight/indexing/walk.ts';
import { z } from 'zod';
import { MAX_TOKENS, readTracks, type Track } from './domain/tracks.ts';

/** Tracks from `all`, or addresses; none if not set. */
const INDEX_TOKENS: Setting<readonly Track[]> = {
  about: `tokens of the first network whose holders are indexed (of others: index add): \`all\`, or addresses separated by commas, ${MAX_TOKENS} at the most, or the path of a file of them, beginning with / or ./; none if not set`,
  schema: z
    .string()
    .optional()
    .transform((text = '', context) => {
      const read = isPath(text) ? readFile(text) : readTracks(text);
      if (typeof read !== 'string') return read;
      context.addIssue({ code: 'custom', message: read });
      return z.NEVER;
    }),
};

/** A list has a hundred addresses, and comments. */
const MAX_LIST_BYTES = 1024 * 1024;

function isPath(text: string): boolean {
  return /^\.{0,2}\//.test(text);
}

/** Reads a list of tracks from a file, in which a comment begins with `#`. @returns what is wrong, as a text */
function readFile(path: string): readonly Track[] | string {
  const file = readSettingsFile(path, MAX_LIST_BYTES);
  if ('fault' in file) return `${path}: ${file.fault}`;
  const read = readTracks(
    file.text
      .split('\n')
      .map((line) => line.split('#', 1)[0])
      .join('\n'),
  );
  return typeof read === 'string' ? `${path}: ${read}` : read;
}

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
  INDEX_CHECKS_PER_MINUTE: integer(
    'comparisons of the index of holders with the chain, a minute; each reads up to 200 blocks and 1,000 balances; none if 0',
    { min: 0, max: 60, default: 1 },
  ),
  INDEX_THREADS: integer('threads of the embedded engine of the index', { min: 1, max: 64, default: 2 }),
};

/** The settings of each walk. Several walks share the node. */
export function walkSettings(config: Config<typeof HOLDER_SETTINGS>): Partial<WalkSettings> {
  const { INDEX_FROM: fromBlock, INDEX_TOKENS: tracks } = config;
  return { fromBlock, ...(tracks.length > 1 ? { inFlight: 1 } : {}) };
}
