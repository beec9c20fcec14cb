/** A gateway, and a balance service of its own for each network: every one a process, as in production. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeBoundlessKey } from './admin.ts';
import { runService, type RunningService } from './service-process.ts';

/** The running processes. */
export interface ProcessPerNetwork {
  /** Of the gateway. */
  readonly url: string;
  /** A key that no limit slows down. */
  readonly key: string;
  /** The balance services, by their networks. */
  readonly services: ReadonlyMap<string, RunningService>;
  stop(): Promise<void>;
}

/** Starts all of them. @param settings of each network's service, by the network's name: `ETH_RPC_URL` and the like */
export async function runProcessPerNetwork(
  settings: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Promise<ProcessPerNetwork> {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-processes-'));
  const started: RunningService[] = [];
  const start = async (name: string, env: Readonly<Record<string, string>>): Promise<RunningService> => {
    const service = await runService(name, env);
    started.push(service);
    return service;
  };
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((service) => service.end('SIGTERM')));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const services = new Map<string, RunningService>();
    for (const [name, own] of Object.entries(settings)) services.set(name, await start('balance', own));
    const urls = [...services].map(([name, { url }]) => `${name}=${url}`).join(',');
    const stores = { DATA_DIR: folder, SECRETS_KEY: 'a secret of some length' };
    const key = await makeBoundlessKey(stores);
    const asked = { BALANCE_URL: urls, TOKENS_URL: urls, ORDERS_URL: urls };
    const { url } = await start('gateway', { ...stores, ...asked });
    return { url, key, services, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
