/**
 * The one place that selects a test's servers: (1) an address in the environment, (2) a container, (3) a
 * native server, (4) none.
 */
import type { Environment } from '@hindsight/kernel/config.ts';
import type { RecipeName } from './recipes.ts';

/** The servers that production has as well: their address may be given. */
export type SharedName = 'kafka' | 'mongodb' | 'redis';

/** Every server that can be started natively. */
export type NativeName = SharedName | 'toxiproxy' | 'geth' | 'geth-1.17';

/** Source of one server. `why` is a sentence for people. */
export type Source =
  | { readonly kind: 'environment'; readonly address: string }
  | { readonly kind: 'docker' }
  /** `instead`: the reason against a container, where an engine answers. */
  | { readonly kind: 'native'; readonly instead?: string }
  | { readonly kind: 'absent'; readonly why: string };

/** Questions about the machine. */
export interface Probes {
  dockerAnswers(): Promise<boolean>;
  /** Reason why the engine that answers can have no container of this server; undefined if it can. */
  imageFault(name: SharedName): Promise<string | undefined>;
  /** True if a command is on the path. */
  has(command: string): Promise<boolean>;
  isInstalled(name: RecipeName): Promise<boolean>;
}

const VARIABLES: Readonly<Record<SharedName, string>> = {
  kafka: 'KAFKA_BROKERS',
  mongodb: 'MONGODB_URL',
  redis: 'REDIS_URL',
};

/** Commands that a native server needs to run, and those that installing it needs. */
const NEEDS: Readonly<
  Record<NativeName, { readonly run: readonly string[]; readonly install: readonly string[] }>
> = {
  kafka: { run: ['java'], install: ['mvn'] },
  mongodb: { run: ['java'], install: ['mvn', 'javac'] },
  redis: { run: ['redis-server'], install: [] },
  toxiproxy: { run: [], install: ['go'] },
  geth: { run: [], install: ['go'] },
  'geth-1.17': { run: [], install: ['go'] },
};

/** Source of a server that suites share. */
export async function findShared(name: SharedName, env: Environment, probes: Probes): Promise<Source> {
  const address = env[VARIABLES[name]]?.trim();
  if (address) return { kind: 'environment', address };
  const answers = await probes.dockerAnswers();
  const instead = answers ? await probes.imageFault(name) : 'no Docker engine answers';
  if (instead === undefined) return { kind: 'docker' };
  const native = await findNative(name, probes);
  if (native.kind === 'native') return answers ? { ...native, instead } : native;
  return { kind: 'absent', why: `${VARIABLES[name]} is not set, ${instead}, and ${native.why}` };
}

/** Source of a native server for one suite, to pause or kill it. */
export async function findNative(
  name: NativeName,
  probes: Probes,
): Promise<Extract<Source, { kind: 'native' | 'absent' }>> {
  const needs = [...NEEDS[name].run];
  if (name === 'redis' || !(await probes.isInstalled(name))) needs.push(...NEEDS[name].install);
  const missing: string[] = [];
  for (const command of needs) if (!(await probes.has(command))) missing.push(command);
  if (missing.length === 0) return { kind: 'native' };
  return { kind: 'absent', why: `a native ${name} needs ${missing.join(' and ')} on the path` };
}

/** True if absence is a failure: `REQUIRE_SERVERS=1`. */
export function areRequired(env: Environment): boolean {
  return env.REQUIRE_SERVERS === '1';
}
