import { closeAtStop } from '@hindsight/bus/close-at-stop.ts';
import type { EventBus } from '@hindsight/bus/port.ts';
import { createHttpServer } from '@hindsight/http/server.ts';
import { addSiteFiles } from '@hindsight/http/site-files.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { withoutReasons } from '@hindsight/http/health.ts';
import type { ReadinessCheck } from '@hindsight/kernel/readiness.ts';
import { Job } from '@hindsight/kernel/job.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import type { ProjectRepository } from '@hindsight/projects/ports.ts';
import type { RedisStore } from '@hindsight/stores/redis.ts';
import { ledgerCounters } from '@hindsight/usage/counters/ledger-counters.ts';
import type { MonthCounters } from '@hindsight/usage/counters/ports.ts';
import type { QuotaLedger, UsageReader } from '@hindsight/usage/ports.ts';
import { CachedProjects } from './keys/cached-projects.ts';
import { joinPeers } from './limits/redis-peers.ts';
import { BurstLimiter } from './limits/burst-limiter.ts';
import { dropChangedKeys } from './keys/projects-changed.ts';
import { DemoShare } from './limits/demo-share.ts';
import { EntityTags } from './upstreams/entity-tags.ts';
import { HeldBodies } from './limits/held-bodies.ts';
import { UnreadAnswers } from './limits/unread-answers.ts';
import { FinalAnswers } from './upstreams/final-answers.ts';
import { AGENT_MESSAGES, EVENT_STREAMS, LISTS, Slots, SNAPSHOTS } from './limits/slots.ts';
import { GuessGuard } from './keys/guess-guard.ts';
import { LOOK_EVERY_MS, OpenStreams } from './limits/open-streams.ts';
import { openMetered } from './usage/open-usage.ts';
import { KeyUses } from './keys/key-uses.ts';
import type { Upstreams } from './upstreams/upstream.ts';
import { tellAvailable } from './upstreams/available.ts';
import { fetchFromOwn, type Caller } from './upstreams/own-api.ts';
import { shareStreams } from './upstreams/shared-streams.ts';
import { addCors, CORS_HEADERS } from './routes/cors.ts';
import { etherscanRoutes } from './routes/etherscan.ts';
import { mcpRoute } from './routes/mcp.ts';
import { addHome } from './routes/home.ts';
import { publicApi } from './routes/public-api.ts';
import { addUsageRoute, usageOperation } from './routes/usage.ts';
import { directRoutes } from './upstreams/direct-routes.ts';

export { copySpool } from './usage/spool/copy-spool.ts';
export { BurstLimiter } from './limits/burst-limiter.ts';
export { MonthUsedUp, ProjectQuota } from './limits/quota/project-quota.ts';
export { createInProcessUpstream, createInProcessUpstreams } from './upstreams/in-process-upstream.ts';
export { createUpstreamsInTurn } from './upstreams/upstreams-in-turn.ts';

/** The public route that the gateway answers itself, as documented. */
export const GATEWAY_API = [usageOperation] as const;

export interface GatewayDeps extends Platform {
  readonly projects: Pick<ProjectRepository, 'findByKey' | 'noteKeyUses'>;
  /** Source of project changes, destination of usage. */
  readonly bus: Pick<EventBus, 'subscribe' | 'publish'>;
  /** The ledger: leases and counted usage. */
  readonly usage: QuotaLedger & UsageReader;
  /** Usage for display; by default from the ledger itself. */
  readonly counters?: MonthCounters | undefined;
  /** The folder of the usage spool, and the most bytes in it. */
  readonly dataDir: string;
  readonly spoolBytes?: number;
  /** Addresses of proxies whose `X-Forwarded-For` is believed. */
  readonly trustProxy?: readonly string[];
  /** Connects several gateways with each other; a single one needs none. */
  readonly redis?: RedisStore | undefined;
  readonly upstreams: Upstreams;
  /** Networks that metrics tell apart. */
  readonly networks?: readonly string[] | undefined;
  /** `SECRETS_KEY`: signs the entity tags of answers. */
  readonly secret: string;
  /** Milliseconds that a service has to begin its answer. */
  readonly upstreamTimeoutMs?: number;
  /** The base of agents' sources; by default from the request. */
  readonly publicUrl?: string | undefined;
  /** Public address of the portal; undefined while unknown. */
  readonly portalUrl?: () => string | undefined;
  readonly securityContact?: string | undefined;
  readonly checks?: readonly ReadinessCheck[];
}

const SPOOL_BYTES = 512 * 1024 * 1024;
const FINAL_ANSWERS_BYTES = 32 * 1024 * 1024;
const HELD_BODIES = { all: 96 * 1024 * 1024, holder: 32 * 1024 * 1024 };
const UNREAD_ANSWERS_BYTES = 96 * 1024 * 1024;
/** Milliseconds that a service has to begin its answer, where no setting says more. */
export const UPSTREAM_TIMEOUT_MS = 15_000;
/** Parts that lose nothing leave the rest of the time to usage. */
const LEAVE_WITHIN_MS = 1_000;
/** Streams have this long to end when the gateway stops. */
const STREAM_GRACE_MS = 3_000;

/** Creates the gateway: keys in, the public API out. Not yet listening. */
export async function createGateway(deps: GatewayDeps): Promise<HttpServer> {
  const { logger, ids, lifecycle, telemetry, clock, usage, checks = [], trustProxy = [] } = deps;
  const upstreams: Upstreams = {
    ...deps.upstreams,
    balance: tellAvailable(deps.upstreams),
    orders: shareStreams(deps.upstreams.orders),
  };
  const { spoolBytes = SPOOL_BYTES, upstreamTimeoutMs = UPSTREAM_TIMEOUT_MS } = deps;
  const counters = deps.counters ?? ledgerCounters(usage, clock);
  const metered = await openMetered({ ...deps, ledger: usage, counters, spoolBytes });
  const writesUnderWay = new Set<Promise<void>>();
  // Before the quota and the spool are closed: they are counted.
  lifecycle.onStop('writes under way', () => Promise.allSettled(writesUnderWay));
  const openStreams = new OpenStreams(clock);
  const openEndless = new OpenStreams(clock);
  const streamsUnderWay = new Set<Promise<void>>();
  lifecycle.onStop('streams', () => {
    openStreams.stop();
    openEndless.stop();
    return Promise.allSettled(streamsUnderWay);
  });
  new Job({
    name: 'ends of streams',
    everyMs: LOOK_EVERY_MS,
    work: async () => void (await Promise.all([openStreams.look(), openEndless.look()])),
  }).startIn(lifecycle);
  const gateways = deps.redis && (await joinPeers(deps.redis, ids.next(), lifecycle));
  const burst = new BurstLimiter(clock, gateways);
  const uses = new KeyUses(deps.projects, logger);
  uses.start();
  lifecycle.onStop('last uses of keys', () => uses.stop(), LEAVE_WITHIN_MS);
  const authentication = {
    projects: remembering(deps, [openStreams, openEndless]),
    guard: new GuessGuard(clock),
    uses,
    clock,
  };
  const finalAnswers = new FinalAnswers(FINAL_ANSWERS_BYTES);
  telemetry
    ?.meter('hindsight.gateway')
    .createObservableCounter('hindsight.gateway.remembered_answers', {
      description: 'Requests answered with a final answer that the gateway remembered',
    })
    .addCallback((counter) => counter.observe(finalAnswers.hits));
  const fetchFor = (caller: Caller): typeof globalThis.fetch => fetchFromOwn(() => app.server, caller);
  const app: HttpServer = createHttpServer({
    logger,
    ids,
    lifecycle,
    trustProxy,
    checks: [...withoutReasons(checks, logger), { name: 'usage spool', check: () => metered.spool.check() }],
    observed: telemetry && { service: 'gateway', telemetry, networks: deps.networks },
    front: directRoutes(
      [
        ...publicApi({
          ...metered,
          burst,
          demoShare: new DemoShare(clock),
          clock,
          authentication,
          upstreams,
          tags: new EntityTags(deps.secret),
          finalAnswers,
          bodies: new HeldBodies(HELD_BODIES),
          unread: new UnreadAnswers(UNREAD_ANSWERS_BYTES),
          upstreamTimeoutMs,
          writesUnderWay,
          streamsUnderWay,
          streams: { slots: new Slots(SNAPSHOTS, gateways), open: openStreams },
          lists: { slots: new Slots(LISTS, gateways), open: openStreams },
          endless: { slots: new Slots(EVENT_STREAMS, gateways), open: openEndless },
        }),
        mcpRoute({
          authentication,
          burst,
          clock,
          quota: metered.quota,
          slots: new Slots(AGENT_MESSAGES, gateways),
          fetchFor,
          publicUrl: deps.publicUrl,
        }),
        ...etherscanRoutes({ fetchFor }),
      ],
      CORS_HEADERS,
    ),
  });
  // A stream may outlast a process's time to end; its client resumes with the rest of the rows elsewhere.
  app.addHook('preClose', (done) => {
    openEndless.stop();
    setTimeout(() => openStreams.stop(), STREAM_GRACE_MS).unref();
    done();
  });
  addCors(app);
  addHome(app, deps.portalUrl ?? (() => undefined));
  addSiteFiles(app, { disallowed: ['/'], securityContact: deps.securityContact, clock });
  addUsageRoute(app, { authentication, burst, quota: metered.quota, counters, clock });
  return app;
}

/**
 * Each instance of a gateway is a separate group: every gateway must see every change. Earlier changes are
 * delivered too, and find nothing to drop.
 */
function remembering(
  { projects, ids, lifecycle, bus, clock }: GatewayDeps,
  open: readonly OpenStreams[],
): CachedProjects {
  const keys = new CachedProjects(projects, clock);
  const joined = bus.subscribe(
    { group: `gateway-${ids.next()}`, topics: ['projects.changed'] },
    dropChangedKeys(keys, open),
  );
  closeAtStop(lifecycle, 'changes of projects', [joined], LEAVE_WITHIN_MS);
  // Changes may be missed until it has joined.
  joined.then(
    () => keys.subscribed(),
    () => undefined,
  );
  return keys;
}
