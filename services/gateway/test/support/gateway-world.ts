/** For tests: a listening gateway on embedded stores, with a service behind it that records its requests. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBus } from '@hindsight/bus/open.ts';
import type { EventBus } from '@hindsight/bus/port.ts';
import type { UsageRecorded } from '@hindsight/events/usage-recorded.ts';
import type { Clock } from '@hindsight/kernel/clock.ts';
import type { ReadinessCheck } from '@hindsight/kernel/readiness.ts';
import { listen } from '@hindsight/http/server.ts';
import { USUAL_LIMITS, type Limits } from '../../src/upstreams/limited-upstream.ts';
import type { Upstream } from '../../src/upstreams/upstream.ts';
import { createPoolUpstream } from '../../src/upstreams/pool-upstream.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createProject, ensureDemoProject } from '@hindsight/projects/create-project.ts';
import { openProjects } from '@hindsight/projects/open.ts';
import { relayPending } from '@hindsight/projects/outbox-relay.ts';
import type { ProjectRepository } from '@hindsight/projects/ports.ts';
import type { PlanChoice } from '@hindsight/projects/project.ts';
import { openUsage } from '@hindsight/usage/open.ts';
import type { UsageStore } from '@hindsight/usage/ports.ts';
import { decodeFrame } from '../../src/usage/spool/frame.ts';
import { createGateway, type GatewayDeps } from '../../src/service.ts';
import { startRecordingService, type RecordingService } from './recording-service.ts';

/** A path of the balance service. */
export const BALANCE = '/v1/eth-mainnet/balance/single';
/** A plan whose limits no test reaches by accident. */
export const PLENTY: PlanChoice = { plan: 'enterprise', monthlyLimit: 1_000_000, rate: 1_000 };

/** The gateway and its surroundings. */
export interface GatewayWorld {
  readonly url: string;
  /** Behind every route. */
  readonly service: RecordingService;
  readonly usage: UsageStore;
  readonly projects: ProjectRepository;
  /** Keys that the gateway has queried the store for, one after another. */
  readonly lookedUp: readonly string[];
  /** Types of the changes that it has handled. */
  readonly heard: readonly string[];
  /** Resolves once it is subscribed to changes of projects. */
  readonly joined: Promise<unknown>;
  /** Units of a project that were sent to be counted. */
  sentUnits(project: string): number;
  /** The same by the status that was answered, or by the name of the operation. */
  sentBy(project: string, field: 'status' | 'endpoint'): Record<string, number>;
  /** Units of all projects in the spool, as a process would find them after a crash. */
  unitsOnDisk(): number;
  /** Publishes the waiting changes; nothing else does. */
  publishChanges(): Promise<void>;
  addProject(choice: PlanChoice): Promise<{ readonly key: string; readonly id: string }>;
  /** The demo project's key. */
  addDemo(): Promise<string>;
  close(): Promise<void>;
}

interface GatewayWorldOptions {
  readonly checks?: readonly ReadinessCheck[];
  readonly clock?: Clock;
  /** Receives every line of the log; without it nothing is logged. */
  readonly logTo?: string[];
  /** Milliseconds that the service has to begin its answer. */
  readonly upstreamTimeoutMs?: number;
  /** Of the requests that it gets. */
  readonly limits?: Limits;
  /** In place of the service, for lists of holders. */
  readonly holders?: Upstream;
}

/** Goes on from the middle of a month, so that none ends during a test. */
const midMonth: Clock = { now: () => Date.UTC(2026, 10, 15, 12) + Math.floor(performance.now()) };

/** Starts it on free ports of loopback, in a new folder. */
export async function startGatewayWorld({
  clock = midMonth,
  checks = [],
  logTo,
  upstreamTimeoutMs = 60_000,
  limits = USUAL_LIMITS,
  holders,
}: GatewayWorldOptions = {}): Promise<GatewayWorld> {
  const dataDir = mkdtempSync(join(tmpdir(), 'hindsight-gateway-'));
  const logger = createLogger({
    name: 'gateway',
    level: logTo === undefined ? 'silent' : 'trace',
    destination: { write: (line) => logTo?.push(line) },
  });
  const lifecycle = createLifecycle(logger);
  const service = await startRecordingService();
  const deps = { clock, ids: randomIds, lifecycle, logger };
  const secret = 'a secret of the test';
  const { projects, outbox } = await openProjects({ dataDir, secret }, deps);
  const { usage } = await openUsage({ dataDir }, lifecycle);
  const { bus } = await openBus({ dataDir }, deps);
  const upstream = createPoolUpstream({ origin: service.url, bodyTimeout: 60_000, limits });
  lifecycle.onStop('upstream', () => upstream.close());
  const upstreams = { balance: upstream, tokens: upstream, holders: holders ?? upstream, orders: upstream };
  const watched = watch(projects, bus);
  const { asked: source, bus: heard } = watched;
  const app = await createGateway({
    ...deps,
    projects: source,
    bus: heard,
    usage,
    upstreams,
    secret,
    upstreamTimeoutMs,
    dataDir,
    checks,
  });
  return {
    url: await listen(app, lifecycle, 'gateway', { host: '127.0.0.1', port: 0 }),
    service,
    usage,
    projects,
    lookedUp: watched.lookedUp,
    heard: watched.heard,
    joined: watched.joined,
    sentUnits: (project) => unitsOf(watched.sent.filter(({ projectId }) => projectId === project)),
    sentBy(project, field) {
      const sent = watched.sent.filter(({ projectId }) => projectId === project);
      const names = [...new Set(sent.map((entry) => String(entry[field])))];
      const of = (name: string) => unitsOf(sent.filter((entry) => String(entry[field]) === name));
      return Object.fromEntries(names.map((name) => [name, of(name)]));
    },
    unitsOnDisk: () => unitsIn(join(dataDir, 'usage-spool')),
    publishChanges: async () => void (await relayPending({ ...deps, outbox, bus, relayId: 'test' })),
    async addProject(choice) {
      const { project, key } = await createProject({ projects, ...deps }, { name: 'test', ...choice });
      return { key, id: project.id };
    },
    addDemo: async () => (await ensureDemoProject({ projects, ...deps }, undefined)).key,
    async close() {
      await lifecycle.shutdown('test');
      await service.close();
      rmSync(dataDir, { recursive: true });
    },
  };
}

/** The same, with a project that no test exhausts by accident. */
export async function startWithProject(options?: GatewayWorldOptions) {
  const world = await startGatewayWorld(options);
  return { ...world, ...(await world.addProject(PLENTY)) };
}

/** Records a gateway's queries of the projects store, and the changes that it has received. */
function watch(projects: ProjectRepository, opened: EventBus) {
  const lookedUp: string[] = [];
  const heard: string[] = [];
  const sent: UsageRecorded['entries'] = [];
  const joined = Promise.withResolvers<unknown>();
  const asked: GatewayDeps['projects'] = {
    findByKey(key) {
      lookedUp.push(key);
      return projects.findByKey(key);
    },
    noteKeyUses: (uses) => projects.noteKeyUses(uses),
  };
  const bus: GatewayDeps['bus'] = {
    async publish(topic, events) {
      await opened.publish(topic, events);
      for (const { data } of events) {
        const { entries = [] } = data as Partial<UsageRecorded>;
        sent.push(...entries);
      }
    },
    subscribe(options, handler) {
      const subscribed = opened.subscribe(options, async (events, context) => {
        await handler(events, context);
        heard.push(...events.map(({ type }) => type));
      });
      joined.resolve(subscribed);
      return subscribed;
    },
  };
  return { asked, bus, lookedUp, heard, sent, joined: joined.promise };
}

function unitsIn(spool: string): number {
  const files = readdirSync(spool, { recursive: true, encoding: 'utf8' });
  const lines = files
    .filter((name) => name.endsWith('.log'))
    .flatMap((name) => readFileSync(join(spool, name), 'utf8').split('\n'));
  return unitsOf(lines.flatMap((line) => decodeFrame(line)?.entries ?? []));
}

function unitsOf(
  entries: readonly { readonly requests: number; readonly units?: number | undefined }[],
): number {
  return entries.reduce((sum, { requests, units = requests }) => sum + units, 0);
}
