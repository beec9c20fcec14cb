import Fastify from 'fastify';
import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import type { Telemetry } from '@hindsight/kernel/telemetry/port.ts';
import { createNodeServer, listen } from './server.ts';
import { ZOD_COMPILERS } from './zod-compilers.ts';

/** Serves Prometheus' `GET /metrics` on a separate port, which is not public. Resolves to its URL. */
export async function startMetricsServer(
  telemetry: Pick<Telemetry, 'metricsText'>,
  lifecycle: Lifecycle,
  address: { host: string; port: number },
): Promise<string> {
  const app = Fastify({
    logger: false,
    schemaController: ZOD_COMPILERS,
    serverFactory: (listener) => createNodeServer(listener, lifecycle),
  });
  app.get('/metrics', async (_request, reply) =>
    reply.type('text/plain; version=0.0.4').send(await telemetry.metricsText()),
  );
  return listen(app, lifecycle, 'metrics', address);
}
