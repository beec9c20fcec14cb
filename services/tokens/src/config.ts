import {
  choice,
  integer,
  load,
  optionalConnectionString,
  optionalText,
  port,
  text,
  urlList,
  type Config,
  type Environment,
} from '@hindsight/shared/config.ts';
import { LOG_LEVELS } from '@hindsight/shared/logger.ts';
import { TELEMETRY_SETTINGS } from '@hindsight/shared/telemetry-settings.ts';

const SETTINGS = {
  ...TELEMETRY_SETTINGS,
  HOST: text('the address to listen on', '127.0.0.1'),
  PORT: port('the port to listen on', 8082),
  METRICS_PORT: port('the port of /metrics, which is not public', 9082),
  LOG_LEVEL: choice('how much is logged', LOG_LEVELS, 'info'),
  DATA_DIR: text('the folder of the embedded database', './data'),
  MONGODB_URL: optionalConnectionString('where MongoDB is; the embedded database is used when not given', [
    'mongodb',
    'mongodb+srv',
  ]),
  PUBLIC_URL: optionalText('the base of absolute links, for instance https://api.example.org'),
  ETH_RPC_URL: urlList('URLs of Ethereum nodes, separated by commas, in order of preference', [
    'http:',
    'https:',
  ]),
  ETH_RPC_TIMEOUT_MS: integer('milliseconds that a node has to answer', {
    min: 50,
    max: 60_000,
    default: 5_000,
  }),
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
  TOKENS_MOST_BLOCKS: integer('blocks that are asked for at once at the most', {
    min: 1,
    max: 1_000_000,
    default: 10_000,
  }),
  TOKENS_POLL_MS: integer('milliseconds between looks for new finalized blocks', {
    min: 50,
    max: 600_000,
    default: 6_000,
  }),
};

/** The settings of this service. */
export type TokensConfig = Config<typeof SETTINGS>;

/** Reads this service's settings. @throws {ConfigError} */
export function readConfig(env: Environment): TokensConfig {
  return load(SETTINGS, env);
}
