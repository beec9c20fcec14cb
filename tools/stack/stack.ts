/** The production topology on one machine: servers, node, and every service in a separate process. */
import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CHAIN } from '@hindsight/devchain/world.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import { ensureDemoProject } from '@hindsight/projects/create-project.ts';
import { retry } from '@hindsight/kernel/retry.ts';
import { openProjects } from '@hindsight/projects/open.ts';
import { SETTINGS as OF_COMMANDS } from '@hindsight/standalone/admin/config.ts';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import { startNetworks } from './networks.ts';
import { startNode, startServers, type GivenServers, type Progress } from './parts.ts';
import { RESTART_AFTER_MS, startService, STARTS, type ServiceProcess } from './service-process.ts';
import { place, type Placed } from './services.ts';
import { writeStackFile } from './stack-file.ts';

export interface StackOptions {
  /** The repository's root, where the services run. */
  readonly root: string;
  /** Folder for stack.json, logs and data. Leftovers of an earlier stack there are removed. */
  readonly folder: string;
  readonly gateways: number;
  /** In all, mainnet among them. */
  readonly networks: number;
  /** The first gateway's port. */
  readonly basePort: number;
  /** Services that end are started again. */
  readonly restart: boolean;
  readonly servers: GivenServers;
  /** Credentials and TLS of a given Kafka: `KAFKA_TLS`, `KAFKA_CA_FILE`, `KAFKA_SASL_*`. */
  readonly kafka: Readonly<Record<string, string>>;
  /** `SECRETS_KEY`; a new one for this run if not given. */
  readonly secret: string | undefined;
  readonly ethRpcUrl: string | undefined;
  readonly demoKey: string | undefined;
  /** Settings for every service, unchanged, such as `LOG_LEVEL` and `OTEL_*`. */
  readonly settings: Readonly<Record<string, string>>;
  /** Variables of this machine that processes need to run at all. */
  readonly machine: Readonly<Record<string, string>>;
}

export interface Stack {
  /** The first gateway. */
  readonly url: string;
  readonly portalUrl: string;
  readonly demoKey: string;
  readonly file: string;
}

/** Starts it. Every part is registered with the lifecycle, and ends with this process in any case. */
export async function startStack(
  options: StackOptions,
  lifecycle: Lifecycle,
  logger: Logger,
  say: Progress,
): Promise<Stack> {
  const file = join(options.folder, 'stack.json');
  await prepareFolder(options.folder);
  lifecycle.onStop('stack.json', () => rm(file, { force: true }));
  const [servers, node, further] = await Promise.all([
    startServers(options.servers, lifecycle, say),
    startNode(options.ethRpcUrl, lifecycle, say),
    startNetworks(options.networks, options.settings, lifecycle, say),
  ]);
  if (options.servers.mongodbUrl !== undefined && options.secret === undefined)
    say('SECRETS_KEY is not set: another run will not be able to read the keys in this MongoDB');
  const env = {
    ...options.kafka,
    KAFKA_BROKERS: servers.kafka.brokers,
    MONGODB_URL: servers.mongodb.url,
    REDIS_URL: servers.redis.url,
    SECRETS_KEY: options.secret ?? randomBytes(32).toString('base64url'),
  };
  // MongoDB may be slow at first, as for the services.
  const demoKey = await retry(() => makeDemoProject(env, options.demoKey, logger), {
    attempts: STARTS,
    pauseMs: () => RESTART_AFTER_MS,
    isTransient: (error) => error instanceof StoreUnavailable,
  });
  const shared = { ...firstBlock(node), ...options.settings, ...env, ETH_RPC_URL: node.url, ...further.env };
  const places = place({ ...options, dataDir: join(options.folder, 'data') });
  const services: ServiceProcess[] = [];
  const ofCommands = settingsOfCommands(shared, places);
  const write = (): Promise<void> =>
    writeStackFile(file, { services, servers, node, networks: further.nodes, env: ofCommands });
  const onChange = ({ placed }: ServiceProcess, words: string): void => {
    say(`${placed.name} ${words}`);
    void write().catch((err: unknown) => logger.error({ err }, 'stack.json could not be written'));
  };
  services.push(...(await startServices(places, { options, shared, onChange }, lifecycle, say)));
  await write();
  const portal = places.find(({ spec }) => spec.name === 'portal');
  return { url: places[0]?.url ?? '', portalUrl: portal?.url ?? '', demoKey, file };
}

/** Settings that the administration reads, with the folder that it shares with the holders service. */
function settingsOfCommands(
  shared: Readonly<Record<string, string>>,
  places: readonly Placed[],
): Record<string, string> {
  const holders = places.find(({ spec }) => spec.name === 'holders');
  const all = Object.entries({ ...shared, ...holders?.env });
  return Object.fromEntries(all.filter(([name]) => Object.hasOwn(OF_COMMANDS, name)));
}

async function prepareFolder(folder: string): Promise<void> {
  for (const old of ['stack.json', 'data', 'logs'])
    await rm(join(folder, old), { recursive: true, force: true });
  for (const name of ['data', 'logs']) await mkdir(join(folder, name), { recursive: true, mode: 0o700 });
}

/** The public demo project: its key is in the banner. */
async function makeDemoProject(
  env: { readonly MONGODB_URL: string; readonly SECRETS_KEY: string },
  key: string | undefined,
  logger: Logger,
): Promise<string> {
  const lifecycle = createLifecycle(logger);
  const parts = { clock: systemClock, ids: randomIds, lifecycle };
  try {
    const settings = { dataDir: '', mongodbUrl: env.MONGODB_URL, secret: env.SECRETS_KEY };
    const { projects } = await openProjects(settings, parts);
    return (await ensureDemoProject({ projects, ...parts }, key)).key;
  } finally {
    await lifecycle.shutdown('the demo project is made');
  }
}

interface Common {
  readonly options: StackOptions;
  readonly shared: Readonly<Record<string, string>>;
  readonly onChange: (service: ServiceProcess, words: string) => void;
}

/** All at once. If one does not come up, the others are stopped with the rest. */
async function startServices(
  places: readonly Placed[],
  { options, shared, onChange }: Common,
  lifecycle: Lifecycle,
  say: Progress,
): Promise<ServiceProcess[]> {
  const started: ServiceProcess[] = [];
  lifecycle.onStop('the services', async () => {
    // Those that others call go last.
    const gateways = started.filter(({ placed }) => placed.spec.name === 'gateway');
    await Promise.all(gateways.map((service) => service.stop()));
    await Promise.all(
      started.filter((service) => !gateways.includes(service)).map((service) => service.stop()),
    );
  });
  const starting = places.map(async (placed) => {
    const { root, folder, machine, restart } = options;
    const logFile = join(folder, 'logs', `${placed.name}.log`);
    const env = { ...shared, ...placed.env };
    const service = await startService({ placed, root, logFile, machine, env, restart, onChange });
    started.push(service);
    say(`${placed.name} is ready at ${placed.url}`);
    return service;
  });
  const outcomes = await Promise.allSettled(starting);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
}

/** The dev chain has no blocks before its first, and few enough for all its tokens to be indexed. */
function firstBlock({ pid }: { readonly pid: number | null }): Record<string, string> {
  if (pid === null) return {};
  const first = String(CHAIN.genesis);
  return { TOKENS_FROM_BLOCK: first, INDEX_FROM: first, INDEX_TOKENS: 'all' };
}
