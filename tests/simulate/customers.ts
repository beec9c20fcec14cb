/** Projects with an owner each, in the store that gateways ask over the network, and people at the portal. */
import type { PortalWork } from '@hindsight/portal/service.ts';
import { keyAccount } from '@hindsight/usage/key-account.ts';
import { generateKey } from '@hindsight/projects/key.ts';
import { openProjects } from '@hindsight/projects/open.ts';
import type { ProjectRepository } from '@hindsight/projects/ports.ts';
import { DEFAULT_KEY_ID } from '@hindsight/projects/project-key.ts';
import { Process, type Machine } from './machine/machine.ts';
import { overNetwork, type Network, type Server } from './machine/network.ts';
import { platformOf } from './platform.ts';
import { openWork } from './portal/open-work.ts';
import { Person } from './portal/person.ts';
import type { Secret } from './portal/secrets.ts';

/** A project, and a key of it. */
export interface Customer {
  readonly id: string;
  readonly secret: string;
  readonly limit: number;
  /** The cap of its key. */
  readonly cap: number | null;
}

/** The customer's accounts, with the units that each may spend in a month. */
export function limitsOf({ id, limit, cap }: Customer): ReadonlyMap<string, number> {
  const limits = new Map([[id, limit]]);
  if (cap !== null) limits.set(keyAccount(id, DEFAULT_KEY_ID), cap);
  return limits;
}

/** The email address of a project's owner. */
export function ownerOf(id: string): string {
  return `${id}@example.org`;
}

/** Seals the keys of all projects. */
export const PROJECTS_SECRET = 'a secret of the simulated projects';

/** Low limits: most runs reach them. */
const FEW = 5;
const SOME = 60;
const PEOPLE = ['ann', 'ben', 'cleo'] as const;
const DAY_MS = 86_400_000;
/** A session ends this long after the sign-in, and this long after its last use. */
const LIFE_DAYS = 30;
const IDLE_DAYS = 14;

/** Customers and people, and the store of their projects over the network. */
export interface Customers {
  readonly all: readonly Customer[];
  readonly people: readonly Person[];
  readonly projects: ProjectRepository;
}

interface Deps {
  readonly machine: Machine;
  readonly network: Network;
  readonly server: Server;
  /** The folder of projects and accounts. */
  readonly dataDir: string;
  /** Milliseconds of the run. */
  readonly lastMs: number;
}

/** Creates them in the store, before anything else happens. */
export async function createCustomers(deps: Deps): Promise<Customers> {
  const { machine, network, server, dataDir } = deps;
  const { random } = machine;
  const customer = (id: string, limit: number, cap: number | null): Customer => ({
    id,
    secret: generateKey(),
    limit,
    cap,
  });
  const all = [
    customer('small', FEW + random.below(SOME), null),
    customer('capped', 100_000, FEW + random.below(SOME)),
    customer('large', 1_000_000, null),
  ];
  const process = new Process('before the run');
  const people = await machine.as(process, () => createAll(deps, process, all));
  machine.kill(process);
  const { projects } = await machine.as(server.process, () =>
    openProjects({ dataDir, secret: PROJECTS_SECRET }, platformOf(machine, server.process)),
  );
  return { all, people, projects: overNetwork(network, server, projects) };
}

async function createAll(
  { machine, dataDir, lastMs }: Deps,
  process: Process,
  customers: readonly Customer[],
): Promise<Person[]> {
  const platform = platformOf(machine, process);
  const { projects } = await openProjects({ dataDir, secret: PROJECTS_SECRET }, platform);
  const work = await openWork({ ...platform, projects }, dataDir);
  const create = async (id: string, secret: string, limit: number): Promise<void> => {
    const createdAt = machine.wallClock();
    await work.stores.accounts.insert({
      ...{ id: `${id}'s`, email: ownerOf(id), name: id, createdAt },
      ...{ passwordHash: null, identities: [], epoch: 0, version: 0 },
    });
    const limits = { plan: 'enterprise', monthlyLimit: limit, rate: 100_000 } as const;
    const project = { ...limits, id, name: id, ownerId: `${id}'s`, demo: false, createdAt } as const;
    await projects.create({ project: { ...project, status: 'active' }, key: secret });
  };
  for (const { id, secret, limit, cap } of customers) {
    await create(id, secret, limit);
    if (cap !== null) await projects.updateKey(id, DEFAULT_KEY_ID, { monthlyCap: cap });
  }
  const people: Person[] = [];
  for (const id of PEOPLE) {
    const secret = generateKey();
    await create(id, secret, 1_000_000);
    people.push(new Person(machine, { id: `${id}'s`, project: id, key: secret }));
  }
  const [first, second] = people;
  const old = { machine, process, work, lastMs };
  first!.sessions.push(await oldSession({ ...old, owner: first!, days: LIFE_DAYS }, [20, 10]));
  second!.sessions.push(await oldSession({ ...old, owner: second!, days: IDLE_DAYS }, []));
  return people;
}

interface Old {
  readonly machine: Machine;
  readonly process: Process;
  readonly work: PortalWork;
  readonly owner: Person;
  readonly days: number;
  readonly lastMs: number;
}

/** A session from so many days ago, which ends within the run. @param seen days ago at which it was used */
async function oldSession(
  { machine, process, work, owner, days, lastMs }: Old,
  seen: readonly number[],
): Promise<Secret> {
  const { sessions } = work.accounts.context;
  process.skewMs = machine.random.between(0, lastMs) - days * DAY_MS;
  const end = machine.wallClock(process) + days * DAY_MS;
  const account = await work.stores.accounts.find(owner.id);
  const cookie = await work.accounts.visitors.sessions.open(account!, { ip: '', headers: {} });
  const text = cookie.split(';')[0]!;
  for (const daysAgo of seen) {
    process.skewMs = -daysAgo * DAY_MS;
    await sessions.current({ cookie: text });
  }
  return { text, isUncertain: false, end: { least: end, most: end, toldAt: -Infinity } };
}
