/** The whole portal on real stores and a real port. */
import type { FastifyInstance, RouteOptions } from 'fastify';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openBus } from '@hindsight/bus/open.ts';
import type { Bus } from '@hindsight/bus/port.ts';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import { openNode } from '@hindsight/chain/pool/open-node.ts';
import { listen } from '@hindsight/http/server.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { openProjects, type OpenProjects } from '@hindsight/projects/open.ts';
import { ledgerCounters } from '@hindsight/usage/counters/ledger-counters.ts';
import { openUsage } from '@hindsight/usage/open.ts';
import { load } from '@hindsight/kernel/config.ts';
import { createPortal, type PortalDeps } from '../../src/service.ts';
import { PORTAL_SETTINGS } from '../../src/settings.ts';
import { Browser } from './browser.ts';
import { quickPasswords } from './quick-passwords.ts';
import type { Place } from './run-dashboard.ts';
import { PATIENT } from '@hindsight/chain/test/support/patient.ts';

/** An email that the portal has printed. */
export interface PrintedMail {
  readonly to: string;
  readonly subject: string;
  readonly msg: string;
}

/** A portal that runs. */
export interface RunningPortal {
  readonly url: string;
  readonly projects: OpenProjects['projects'];
  readonly bus: Bus;
  readonly clock: { time: number };
  readonly mails: readonly PrintedMail[];
  /** All that was logged. */
  log(): string;
  /** Routes of its forms: `/dashboard/projects/:id/name`. */
  readonly forms: readonly string[];
  /** Routes that browsers get: pages and files. */
  readonly pages: readonly string[];
  browser(headers?: Readonly<Record<string, string>>): Browser;
  /**
   * A browser at another address, so that others' attempts do not count for it. For a portal that trusts the
   * proxy 127.0.0.1.
   */
  browserElsewhere(): Browser;
  /** The link in the latest email to an address, once there are `count` of them. */
  linkTo(email: string, count?: number): Promise<string>;
  stop(): Promise<void>;
}

interface Options {
  readonly env?: Readonly<Record<string, string>>;
  /** The Ethereum node that verifies contract wallets; none by default. */
  readonly nodeUrl?: string;
  readonly trustProxy?: readonly string[];
  /** Those that pages offer; mainnet alone by default. */
  readonly networks?: PortalDeps['networks'];
  /** The orders service; none by default. */
  readonly orders?: PortalDeps['orders'];
  /** True for passwords that are hashed as in production. */
  readonly slowPasswords?: boolean;
  /** Host to listen on; 127.0.0.1 by default. */
  readonly host?: string;
}

const MAIL_WITHIN_MS = 600_000;

/** The diagnostics channel on which Fastify announces a server. */
const CREATED = 'fastify.initialization';

/** One start time for all portals of a test, even if the machine's hour changes between them. */
const BEGINNING = Math.floor(Date.now() / 3_600_000) * 3_600_000 + 1_000;

/** Starts one. Its clock starts at the machine's time and stands still, so that limits do not end by chance. */
export async function runPortal(place: Place, options: Options = {}): Promise<RunningPortal> {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ name: 'test', level: 'info', destination });
  const lifecycle = createLifecycle(logger);
  const clock = { time: BEGINNING, now: () => clock.time };
  const deps = { logger, clock, ids: randomIds, lifecycle };
  const events = mkdtempSync(join(tmpdir(), 'hindsight-events-'));
  lifecycle.onStop('events folder', () => rmSync(events, { recursive: true, force: true }));
  const secret = 'a secret for tests, long enough';
  const opened = await openProjects({ ...place, secret }, deps);
  const { usage, alerts } = await openUsage(place, lifecycle);
  const { bus } = await openBus({ dataDir: events }, deps);
  const {
    env = {},
    nodeUrl,
    networks,
    orders,
    trustProxy = [],
    slowPasswords = false,
    host = '127.0.0.1',
  } = options;
  const network = ETH_MAINNET;
  const node =
    nodeUrl === undefined ? undefined : await openNode({ urls: [nodeUrl], ...PATIENT }, network, deps);
  const parts: PortalDeps = {
    settings: load(PORTAL_SETTINGS, env),
    secret,
    showcase: {
      apiUrl: 'http://127.0.0.1:8080',
      demoKey: 'a-demo-key',
      example: { says: 'What?', path: '/v1' },
    },
    host,
    store: place,
    network,
    ...(networks && { networks }),
    node,
    trustProxy,
    projects: opened.projects,
    audit: opened.audit,
    usage: ledgerCounters(usage, clock),
    alerts,
    bus,
    orders,
    providerSeconds: 60,
    ...(!slowPasswords && { passwords: quickPasswords() }),
    ...deps,
  };
  const [app, routes] = await withRoutes(() => createPortal(parts));
  const pathsOf = (wanted: string): string[] => [
    ...new Set(routes.filter(({ method }) => method === wanted).map(({ url }) => url)),
  ];
  const url = await listen(app, lifecycle, 'portal', { host, port: 0 });
  const mails = (): PrintedMail[] =>
    lines.map((line) => JSON.parse(line) as PrintedMail).filter(({ subject, to }) => Boolean(subject && to));
  const browser = (headers?: Readonly<Record<string, string>>): Browser =>
    new Browser(env.PORTAL_URL ?? url, headers);
  let addresses = 0;
  return {
    url,
    clock,
    projects: opened.projects,
    bus,
    get mails() {
      return mails();
    },
    log: () => lines.join(''),
    forms: pathsOf('POST'),
    pages: pathsOf('GET'),
    browser,
    browserElsewhere: () => browser({ 'x-forwarded-for': `198.51.${++addresses >> 8}.${addresses & 255}` }),
    linkTo: (email, count = 1) => latestLink(() => mails().filter(({ to }) => to === email), count),
    stop: async () => void (await lifecycle.shutdown('end of test')),
  };
}

/** Notes the routes of a server that is created meanwhile: Fastify announces each new one. */
async function withRoutes<App>(create: () => Promise<App>): Promise<[App, readonly RouteOptions[]]> {
  const routes: RouteOptions[] = [];
  const announced = (message: unknown): void => {
    (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', (route) => void routes.push(route));
  };
  subscribe(CREATED, announced);
  try {
    return [await create(), routes];
  } finally {
    unsubscribe(CREATED, announced);
  }
}

/** Emails are printed a moment after the answer. */
async function latestLink(emails: () => PrintedMail[], count: number): Promise<string> {
  const deadline = performance.now() + MAIL_WITHIN_MS;
  for (;;) {
    const found = emails();
    const link = /(https?:\/\/\S+)/.exec(found.at(-1)?.msg ?? '')?.[1];
    if (found.length >= count && link !== undefined) return link;
    if (performance.now() > deadline) throw new Error(`${found.length} emails came, not ${count}`);
    await sleep(10);
  }
}
