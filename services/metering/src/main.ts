import { openBus } from '@hindsight/bus/open.ts';
import { busSettings } from '@hindsight/bus/settings.ts';
import { startService } from '@hindsight/http/start-service.ts';
import { openUsage } from '@hindsight/usage/open.ts';
import { readConfig } from './config.ts';
import { createMetering } from './service.ts';

await startService('metering', {
  env: process.env,
  readConfig,
  async create(config, deps) {
    const { DATA_DIR: dataDir, MONGODB_URL: mongodbUrl } = config;
    const { bus, check: busCheck } = await openBus(busSettings(config), deps);
    const { usage, check } = await openUsage({ dataDir, mongodbUrl }, deps.lifecycle);
    return createMetering({
      ...deps,
      usage,
      bus,
      checks: [check, busCheck],
    });
  },
});
