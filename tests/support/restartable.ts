/** A service that can be killed and started again in its place. */
import { freePort } from '@hindsight/tools/servers/ports.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { runService, type RunningService } from './service-process.ts';

/** A process that can be killed and started again in its place. */
export interface Restartable {
  readonly url: string;
  /** kill -9, and a new start after a moment. @param meanwhile runs between the two */
  killAndRestart(downMs: number, meanwhile?: () => Promise<unknown>): Promise<void>;
}

/** Starts it, at ports that it keeps. */
export async function startRestartable(
  name: string,
  settings: Readonly<Record<string, string>>,
): Promise<Restartable & { end: () => Promise<unknown> }> {
  const place = { ...settings, PORT: String(await freePort()), METRICS_PORT: String(await freePort()) };
  let service: RunningService = await runService(name, place);
  return {
    url: service.url,
    async killAndRestart(downMs, meanwhile) {
      await service.end('SIGKILL');
      await Promise.all([sleep(downMs), meanwhile?.()]);
      service = await runService(name, place);
    },
    end: () => service.end('SIGTERM'),
  };
}
