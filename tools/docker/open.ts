/** Opens an engine and gives it every image that tests run. */
import { join } from 'node:path';
import type { Environment } from '@hindsight/kernel/config.ts';
import type { Probes } from '../servers/find.ts';
import { install } from '../servers/install.ts';
import { type EngineWork, findEngine, openEngine } from './engine.ts';
import { buildOwn, provideServers } from './images.ts';

export interface OpenImages {
  readonly kind: 'given' | 'own';
  readonly host?: string;
  /** True if the servers' images were assembled here and not pulled. */
  readonly assembled: boolean;
  /** Path of the `docker compose` command. */
  readonly compose: string;
  stop(): Promise<void>;
}

/** @returns the reason if there is none */
export async function openImages(
  env: Environment,
  probes: Probes,
  work: EngineWork = 'run',
): Promise<OpenImages | { readonly absent: string }> {
  const source = await findEngine(env, probes);
  if (source.kind === 'absent') return { absent: source.why };
  const engine = await openEngine(source, work).catch((error: unknown) => (error as Error).message);
  // A machine may have the commands and forbid their work.
  if (typeof engine === 'string') return { absent: engine };
  try {
    const compose = install('compose');
    await buildOwn(engine);
    const { assembled } = await provideServers(engine);
    return {
      kind: engine.kind,
      ...(engine.host && { host: engine.host }),
      assembled,
      compose: join(await compose, 'compose'),
      stop: () => engine.stop(),
    };
  } catch (error) {
    await engine.stop();
    throw error;
  }
}
