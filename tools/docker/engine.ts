/**
 * A Docker engine for tests: the one that answers on this machine, else one that this process starts from the
 * commands of Debian's docker.io, which ends with this process and keeps its images in the cache folder.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { lock } from 'proper-lockfile';
import type { Environment } from '@hindsight/kernel/config.ts';
import type { Probes } from '../servers/find.ts';
import { defaultCache } from '../servers/install.ts';
import { openDataFolder, startServer } from '../servers/process.ts';

const COMMAND_WITHIN_MS = 30 * 60_000;
const OUTPUT_LIMIT = 64 * 1024 * 1024;
const LOCK_STALE_MS = 30_000;
const LOCK_RETRY_MS = 500;
/** There if an engine has run before; without it an engine would remove it. */
const BRIDGE = '/sys/class/net/docker0';
/** Commands on the path that starting an engine needs. */
const NEEDS = [
  'docker',
  'dockerd',
  'docker-init',
  'containerd',
  'runc',
  'iptables',
  'unshare',
  'debootstrap',
];

const run = promisify(execFile);

/** Source of an engine. `why` is a sentence for people. */
export type EngineSource =
  | { readonly kind: 'given'; readonly host: string | undefined }
  | { readonly kind: 'own' }
  | { readonly kind: 'absent'; readonly why: string };

export interface Engine {
  /** An engine that this process starts pulls nothing: its images are built and assembled here. */
  readonly kind: 'given' | 'own';
  /** Value of `DOCKER_HOST`; undefined for the command's default. */
  readonly host: string | undefined;
  /** Ends an engine that this process started, and all of its containers. */
  stop(): Promise<void>;
}

/** The engine that answers, if the command `docker` is there; else one to start here, if root can. */
export async function findEngine(
  env: Environment,
  probes: Pick<Probes, 'dockerAnswers' | 'has'>,
  userId = process.getuid?.(),
): Promise<EngineSource> {
  if ((await probes.dockerAnswers()) && (await probes.has('docker')))
    return { kind: 'given', host: env.DOCKER_HOST };
  const missing: string[] = [];
  for (const command of NEEDS) if (!(await probes.has(command))) missing.push(command);
  if (missing.length > 0)
    return {
      kind: 'absent',
      why: `no Docker engine answers, and one of our own needs ${missing.join(', ')}`,
    };
  if (userId !== 0) return { kind: 'absent', why: 'no Docker engine answers, and only root can start one' };
  return { kind: 'own' };
}

/** Work of an engine. One that only builds adds no network interface: browsers would drop their open requests. */
export type EngineWork = 'build' | 'run';

/** Opens the engine that was found; resolves when it answers. */
export function openEngine(
  source: Exclude<EngineSource, { kind: 'absent' }>,
  work: EngineWork,
  cache = defaultCache(),
): Promise<Engine> {
  if (source.kind === 'own') return startEngine(work, cache);
  return Promise.resolve({ ...source, stop: () => Promise.resolve() });
}

/**
 * Starts an engine in new process and mount namespaces: when its first process ends, so does every container,
 * and nothing stays mounted. The network is the machine's, so that published ports can be reached. The bridge
 * docker0 and Docker's chains in iptables remain after it.
 */
async function startEngine(work: EngineWork, cache: string): Promise<Engine> {
  const root = join(cache, 'engine');
  await mkdir(root, { recursive: true });
  // One engine at a time has the images; another run waits.
  const unlock = await lock(root, {
    stale: LOCK_STALE_MS,
    retries: { retries: (2 * COMMAND_WITHIN_MS) / LOCK_RETRY_MS, factor: 1, minTimeout: LOCK_RETRY_MS },
  });
  try {
    const data = await openDataFolder('engine', {});
    const host = `unix://${join(data.path, 'docker.sock')}`;
    const server = await startServer({
      name: 'dockerd',
      command: 'unshare',
      args: [
        ...['--pid', '--fork', '--kill-child', '--mount-proc', '--', 'docker-init', '--', 'dockerd'],
        ...['--data-root', join(root, 'data'), '--exec-root', join(data.path, 'exec')],
        ...['--pidfile', join(data.path, 'dockerd.pid'), '--host', host],
        ...(work === 'build' && !existsSync(BRIDGE) ? ['--bridge', 'none'] : []),
      ],
      data,
      probe: async () => void (await docker({ host }, ['version'])),
    });
    const engine: Engine = {
      kind: 'own',
      host,
      stop: async () => {
        // unshare itself ignores SIGTERM while it waits for its child.
        for (const child of await childrenOf(server.pid)) process.kill(child, 'SIGTERM');
        await server.stop();
        await unlock();
      },
    };
    await removeLeftovers(engine);
    return engine;
  } catch (error) {
    await unlock();
    throw error;
  }
}

/**
 * Removes what a killed run has left: its containers, which start again with the engine where their policy says so, their
 * networks and volumes. Images stay.
 */
async function removeLeftovers(engine: Engine): Promise<void> {
  for (const kind of ['container', 'volume']) {
    const all = kind === 'container' ? ['--all'] : [];
    const names = await docker(engine, [kind, 'ls', '--quiet', ...all]);
    if (names !== '') await docker(engine, [kind, 'rm', '--force', ...names.split('\n')]);
  }
  await docker(engine, ['network', 'prune', '--force']);
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return text.split(' ').filter(Boolean).map(Number);
}

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs `docker` against an engine and returns its output.
 * @throws with its error output
 */
export function docker(
  engine: Pick<Engine, 'host'>,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  return runAgainst(engine, 'docker', args, options);
}

/** The same for any command that reads `DOCKER_HOST`. */
export async function runAgainst(
  engine: Pick<Engine, 'host'>,
  command: string,
  args: readonly string[],
  { cwd, env = {} }: CommandOptions = {},
): Promise<string> {
  const variables = { DOCKER_BUILDKIT: '0', ...(engine.host && { DOCKER_HOST: engine.host }), ...env };
  const line = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  try {
    const { stdout } = await run('env', [...line, command, ...args], {
      ...(cwd && { cwd }),
      timeout: COMMAND_WITHIN_MS,
      maxBuffer: OUTPUT_LIMIT,
      killSignal: 'SIGKILL',
    });
    return stdout.trim();
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
    const said = `${stdout}\n${stderr}`.trim().split('\n').slice(-40).join('\n');
    throw new Error(`${command} ${args[0] ?? ''} failed: ${said || message}`, { cause: error });
  }
}
