import { choice, keyText, port, text, type Config, type Environment } from '@hindsight/kernel/config.ts';
import { loadServing, OPTIONAL_NETWORK_SETTINGS } from '@hindsight/chain/network-settings.ts';
import { CHAIN_SETTINGS } from '@hindsight/chain/settings.ts';
import { LOG_LEVELS } from '@hindsight/kernel/logger.ts';
import { dataDir, drainMs, TRUST_PROXY } from '@hindsight/kernel/service-settings.ts';
import { TELEMETRY_SETTINGS } from '@hindsight/kernel/telemetry/settings.ts';
import { isWellFormedKey } from '@hindsight/projects/key.ts';
import { OPTIONAL_PROJECT_SETTINGS } from '@hindsight/projects/settings.ts';
import { BALANCE_SETTINGS } from '@hindsight/balance/service.ts';
import { HOLDER_SETTINGS } from '@hindsight/holders/service.ts';
import { ORDER_SETTINGS } from '@hindsight/orders/service.ts';
import { PORTAL_SETTINGS } from '@hindsight/portal/service.ts';
import { refuseUnfinished } from './restore-mark.ts';
import { TOKEN_SETTINGS } from '@hindsight/tokens/service.ts';

/** As declared. @public docs/operations/settings.md is made from it. */
export const SETTINGS = {
  ...BALANCE_SETTINGS,
  ...TOKEN_SETTINGS,
  ...HOLDER_SETTINGS,
  ...ORDER_SETTINGS,
  ...PORTAL_SETTINGS,
  ...TELEMETRY_SETTINGS,
  ...CHAIN_SETTINGS,
  HOST: text('the address to listen on', '127.0.0.1'),
  PORT: port('the port that the gateway listens on', 8080),
  PORTAL_PORT: port('the port that the portal listens on', 8090),
  METRICS_PORT: port('the port of /metrics, which is not public', 9080),
  // There is no other process that takes over.
  DRAIN_MS: drainMs(0),
  LOG_LEVEL: choice('how much is logged', LOG_LEVELS, 'info'),
  DATA_DIR: dataDir('the folder of the embedded database'),
  ...OPTIONAL_PROJECT_SETTINGS,
  TRUST_PROXY,
  DEMO_KEY: keyText('the public demo project’s key; `project rotate demo` prints a new one', isWellFormedKey),
  ...OPTIONAL_NETWORK_SETTINGS,
};

export type StandaloneConfig = Config<typeof SETTINGS>;

export function readConfig(env: Environment): StandaloneConfig {
  const config = loadServing(SETTINGS, env);
  refuseUnfinished(config.DATA_DIR);
  return config;
}
