import { freePort } from '@hindsight/tools/servers/ports.ts';
import { place } from '@hindsight/tools/stack/services.ts';

/** A port for `npm run stack -- --port`: those of all its services, which are counted from it, are free as well. */
export function freeStackPort(gateways = 1): Promise<number> {
  const offsets = place({ gateways, basePort: 0, dataDir: '' }).flatMap(({ env }) => [
    Number(env.PORT),
    Number(env.METRICS_PORT),
  ]);
  return freePort(offsets);
}
