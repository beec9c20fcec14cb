import { openBus } from '@hindsight/bus/open.ts';
import { busSettings } from '@hindsight/bus/settings.ts';
import { servedNetworks } from '@hindsight/chain/network-settings.ts';
import { openNodes } from '@hindsight/chain/pool/open-node.ts';
import { startService } from '@hindsight/http/start-service.ts';
import { readConfig } from './config.ts';
import { createOrders, loadRecovery } from './service.ts';

await startService('orders', {
  env: process.env,
  readConfig,
  async create(config, deps) {
    // The sender of the first order waits 200 ms in all.
    await loadRecovery();
    const { DATA_DIR: dataDir, MONGODB_URL: mongodbUrl } = config;
    const { bus, check: busCheck } = await openBus(busSettings(config), deps);
    const { app } = await createOrders({
      ...deps,
      bus,
      busCheck,
      networks: await openNodes(servedNetworks(config), { timeoutMs: config.ETH_RPC_TIMEOUT_MS }, deps),
      store: { dataDir, mongodbUrl, telemetry: deps.telemetry },
      keepDays: config.ORDERS_KEEP_DAYS,
      readable: config.ORDERS_READABLE,
      maxInFlight: config.ORDERS_MAX_IN_FLIGHT,
    });
    return app;
  },
});
