import { choice, port, text } from './config.ts';
import { LOG_LEVELS } from './logger.ts';
import { TELEMETRY_SETTINGS } from './telemetry-settings.ts';

/** What each service's process is set by, beside its own settings; `defaultPort` is where it listens if not told. */
export function serviceSettings(defaultPort: number) {
  return {
    ...TELEMETRY_SETTINGS,
    HOST: text('the address to listen on', '127.0.0.1'),
    PORT: port('the port to listen on', defaultPort),
    METRICS_PORT: port('the port of /metrics, which is not public', defaultPort + 1_000),
    LOG_LEVEL: choice('how much is logged', LOG_LEVELS, 'info'),
  };
}
