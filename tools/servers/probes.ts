/** Asks the machine what it has. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { request } from 'node:http';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Environment } from '@hindsight/kernel/config.ts';
import type { Probes } from './find.ts';
import { isInstalled } from './install.ts';

/** For an engine that builds images at the same time. */
const ENGINE_WITHIN_MS = 10_000;

/** Probes of this machine, by the environment's PATH and DOCKER_HOST; `cache` as for `install`. */
export function probesOf(env: Environment, cache?: string): Probes {
  return {
    has: (command) => isOnPath(command, env.PATH ?? ''),
    isInstalled: (name) => isInstalled(name, cache),
    dockerAnswers: async () => {
      for (const engine of engines(env)) if (await answersPing(engine)) return true;
      return false;
    },
    imageFault: async (name) => (await import('./testcontainers.ts')).imageFault(name),
  };
}

async function isOnPath(command: string, path: string): Promise<boolean> {
  for (const folder of path.split(delimiter).filter(Boolean)) {
    try {
      await access(join(folder, command), constants.X_OK);
      return true;
    } catch {
      continue;
    }
  }
  return false;
}

type Engine = { readonly socketPath: string } | { readonly host: string; readonly port: string };

/**
 * Sockets on which an engine may listen: DOCKER_HOST alone if set (unix:// or tcp://), else the usual ones.
 */
function engines(env: Environment): Engine[] {
  const given = env.DOCKER_HOST;
  if (given?.startsWith('unix://')) return [{ socketPath: given.slice('unix://'.length) }];
  if (given?.startsWith('tcp://')) {
    const { hostname, port } = new URL(given);
    return [{ host: hostname, port: port || '2375' }];
  }
  if (given) return [];
  return [
    { socketPath: '/var/run/docker.sock' },
    { socketPath: join(homedir(), '.docker', 'run', 'docker.sock') },
  ];
}

/** `GET /_ping` of the engine's API: https://docs.docker.com/reference/api/engine/ */
function answersPing(engine: Engine): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request(
      { ...engine, path: '/_ping', timeout: ENGINE_WITHIN_MS, agent: false },
      (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      },
    );
    asked.once('timeout', () => asked.destroy());
    asked.once('error', () => resolve(false));
    asked.end();
  });
}
