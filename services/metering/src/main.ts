import { openBus } from '@hindsight/bus/open.ts';
import { busSettings } from '@hindsight/bus/settings.ts';
import { startService } from '@hindsight/http/start-service.ts';
import { openProjectTerms } from '@hindsight/projects/open.ts';
import { openCopy, openPublisher } from '@hindsight/usage/open-counters.ts';
import { openUsage } from '@hindsight/usage/open.ts';
import { readConfig } from './config.ts';
import { GROUPS } from './groups.ts';
import { PeerWatch } from './peer-watch.ts';
import { createMetering } from './service.ts';

await startService('metering', {
  env: process.env,
  readConfig,
  async create(config, deps) {
    const { DATA_DIR: dataDir, MONGODB_URL: mongodbUrl, REDIS_URL: redisUrl } = config;
    const name = deps.ids.next();
    const { bus, check: busCheck, expel } = await openBus({ ...busSettings(config), process: name }, deps);
    const opened = await openUsage({ dataDir, mongodbUrl, telemetry: deps.telemetry }, deps.lifecycle);
    const { usage, alerts, progress, check, processes } = opened;
    const { logger } = deps;
    const peers =
      expel &&
      processes &&
      new PeerWatch({ name, processes, expel: (names) => expel(GROUPS, names), logger });
    const projects = await openProjectTerms({ dataDir, mongodbUrl }, deps.lifecycle);
    const copied = await openCopy(opened, redisUrl, deps);
    const publisher = openPublisher(copied, deps);
    const app = createMetering({
      ...deps,
      usage,
      progress,
      publisher,
      comparison: copied && { ledger: usage, ...copied },
      alerting: { alerts, projects },
      peers,
      bus,
      checks: [check, busCheck],
    });
    // Until then the start blocks the process: answers of Redis would seem to be late.
    app.addHook('onListen', async () => publisher?.start());
    return app;
  },
});
