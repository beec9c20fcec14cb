/** Declares the servers that a test file needs. */
import { describe, it } from '@jest/globals';
import type { Environment } from '@hindsight/kernel/config.ts';
import { areRequired, findNative, type NativeName, type SharedName } from './find.ts';
import { install, installedFolder, isInstalled } from './install.ts';
import type { OpenServer } from './open.ts';
import { probesOf } from './probes.ts';
import type { RecipeName } from './recipes.ts';
import { askForServer, SHARED_SERVERS } from './shared-servers.ts';

/** A server of the run, shared by suites: use your own topics, databases and key prefixes; never flush it. */
export type SharedServer = Pick<OpenServer, 'name' | 'address' | 'source'>;

export interface SuiteNeeds<Name extends SharedName> {
  readonly env: Environment;
  /** Servers shared with other suites. */
  readonly shared?: readonly Name[];
  /** Servers that the suite starts itself (`startKafka()` …) because it pauses, kills or fills them. */
  readonly own?: readonly NativeName[];
}

/**
 * A `describe` that runs on real servers. Await it at the top level of a `*.servers.test.ts` file:
 *
 *     await describeOnServers('Bus on Kafka', { env: process.env, shared: ['kafka'] }, ({ kafka }) => {
 *       it('…', async () => { new Kafka({ brokers: kafka.address.split(',') }) … });
 *     });
 *
 * The servers are ready when the body runs. Without one of them the suite is skipped with one line on stderr;
 * with `REQUIRE_SERVERS=1` it fails. A server that exists and does not start is always a failure.
 */
export async function describeOnServers<Name extends SharedName = never>(
  title: string,
  needs: SuiteNeeds<Name>,
  body: (servers: Readonly<Record<Name, SharedServer>>) => void,
): Promise<void> {
  const { servers, absent, faults } = await gather(needs);
  const required = areRequired(needs.env) ? 'REQUIRE_SERVERS=1' : undefined;
  describeUnless(title, { absent, faults }, required, () => body(servers as Record<Name, SharedServer>));
}

/**
 * A `describe` on what `npm run servers -- install NAME` puts into a folder. Where that was not done it is skipped with
 * one line on stderr; with `REQUIRE_SERVERS=1` it is installed first, or another process's installation is waited for.
 */
export async function describeOnInstalled(
  title: string,
  { name, env }: { readonly name: RecipeName; readonly env: Environment },
  body: (folder: string) => void,
): Promise<void> {
  const lack = await lackOf(name, env);
  const folder = await installedFolder(name);
  describeUnless(title, lack, undefined, () => body(folder));
}

/** Reasons why a package is absent, and faults of its installation, which `REQUIRE_SERVERS=1` asks for. None once it is there. */
export async function lackOf(
  name: RecipeName,
  env: Environment,
): Promise<Pick<Gathered, 'absent' | 'faults'>> {
  const lack: Pick<Gathered, 'absent' | 'faults'> = { absent: [], faults: [] };
  if (areRequired(env)) await install(name).catch((error: Error) => lack.faults.push(error.message));
  else if (!(await isInstalled(name)))
    lack.absent.push(`${name} is not installed: npm run servers -- install ${name}`);
  return lack;
}

/** A `describe` that is skipped where something is absent, and fails where it is required or has a fault. */
export function describeUnless(
  title: string,
  { absent, faults }: Pick<Gathered, 'absent' | 'faults'>,
  required: string | undefined,
  body: () => void,
): void {
  if (faults.length > 0) return failing(title, faults);
  if (absent.length === 0) return void describe(title, body);
  if (required) return failing(title, [`${required}, but`, ...absent]);
  const why = absent.join('; ');
  process.stderr.write(`\nSKIPPED: ${title}: ${why}\n`);
  describe.skip(title, () => hasServers([why]));
}

interface Gathered {
  readonly servers: Partial<Record<SharedName, SharedServer>>;
  readonly absent: string[];
  readonly faults: string[];
}

async function gather(needs: SuiteNeeds<SharedName>): Promise<Gathered> {
  const gathered: Gathered = { servers: {}, absent: [], faults: [] };
  // Installs here: a hook's time would not suffice.
  for (const name of needs.own ?? []) await provide(name, needs.env, gathered);
  await Promise.all((needs.shared ?? []).map((name) => share(name, needs.env, gathered)));
  return gathered;
}

async function provide(name: NativeName, env: Environment, { absent, faults }: Gathered): Promise<void> {
  const found = await findNative(name, probesOf(env));
  if (found.kind === 'absent') absent.push(found.why);
  else if (name !== 'redis') {
    await install(name).catch((error: unknown) => faults.push((error as Error).message));
  }
}

async function share(
  name: SharedName,
  env: Environment,
  { servers, absent, faults }: Gathered,
): Promise<void> {
  const address = env[SHARED_SERVERS];
  if (address === undefined) throw new Error(`${SHARED_SERVERS} is not set: run tests with npm test`);
  const offer = await askForServer(address, name);
  if ('absent' in offer) absent.push(offer.absent);
  else if ('fault' in offer) faults.push(offer.fault);
  else servers[name] = offer;
}

function failing(title: string, reasons: readonly string[]): void {
  describe(title, () => hasServers(reasons));
}

function hasServers(reasons: readonly string[]): void {
  it('has its servers', () => {
    throw new Error(reasons.join('\n'));
  });
}
