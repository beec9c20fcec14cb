/** The dashboard on a real store and a real port, with sessions that a test opens at will. */
import { createHttpServer, listen } from '@hindsight/http/server.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { openProjects, type OpenProjects } from '@hindsight/projects/open.ts';
import { ledgerCounters } from '@hindsight/usage/counters/ledger-counters.ts';
import { openUsage, type OpenUsage } from '@hindsight/usage/open.ts';
import { createAttempts } from '../../src/accounts/attempts.ts';
import { openAccountStores } from '../../src/adapters/open-accounts.ts';
import { newAccount } from '../../src/domain/account.ts';
import { originResolver } from '../../src/origin.ts';
import type { SignedIn } from '../../src/ports.ts';
import { addAuditLog } from '../../src/routes/audit-log.ts';
import { addDashboard } from '../../src/routes/dashboard.ts';
import { faultSender } from '../../src/routes/faults.ts';
import { acceptForms } from '../../src/routes/forms.ts';
import { addKeys } from '../../src/routes/keys.ts';
import { addProjectForms } from '../../src/routes/projects.ts';
import { refuseForeignOrigins } from '../../src/routes/same-origin.ts';
import { addSecurityHeaders } from '../../src/routes/security-headers.ts';
import { addUsageReport } from '../../src/routes/usage-report.ts';
import { createUserProjects, type UserProjects } from '../../src/user-projects.ts';

/** Place of projects and usage. */
export interface Place {
  readonly dataDir: string;
  readonly mongodbUrl?: string;
}

/** A user in a browser. */
export interface Visitor {
  get(path: string): Promise<Response>;
  /** Sends a form; by default as the portal's own pages do. */
  post(path: string, fields?: Record<string, string>, headers?: Record<string, string>): Promise<Response>;
}

/** A dashboard that runs. */
export interface RunningDashboard {
  readonly opened: OpenProjects;
  readonly usage: OpenUsage['usage'];
  readonly alerts: OpenUsage['alerts'];
  readonly userProjects: UserProjects;
  readonly clock: { time: number };
  /** Opens a session with a sign-in of that age. */
  visitor(userId: string, signedInAgoMs?: number): Visitor;
  readonly stranger: Visitor;
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';

/** Starts one with separate sessions. */
export async function runDashboard(place: Place): Promise<RunningDashboard> {
  const logger = createLogger({ name: 'test', level: 'silent' });
  const lifecycle = createLifecycle(logger);
  const clock = { time: Date.UTC(2026, 10, 21, 12), now: () => clock.time };
  const common = { clock, ids: randomIds, lifecycle };
  const opened = await openProjects({ ...place, secret: 'a secret for tests, long enough' }, common);
  const { usage, alerts } = await openUsage(place, lifecycle);
  const userProjects = createUserProjects({ ...opened, ...common });
  const sessions = new Map<string, SignedIn>();
  const context = {
    clock,
    mailbox: false,
    sessions: {
      current: ({ cookie }: { cookie?: string | undefined }) =>
        Promise.resolve(sessions.get(/session=([\w-]+)/.exec(cookie ?? '')?.[1] ?? '') ?? null),
    },
  };
  const app = createHttpServer({ logger, lifecycle, sendFault: faultSender(context) });
  const apiUrl = 'http://127.0.0.1:8080';
  addSecurityHeaders(app, { apiOrigin: apiUrl, https: false });
  refuseForeignOrigins(app, originResolver(undefined, HOST));
  acceptForms(app);
  const { tallies } = await openAccountStores(place, lifecycle);
  const attempts = createAttempts(tallies, clock);
  const { projects, audit } = opened;
  const exampleUrl = `${apiUrl}/v1/usage`;
  const deps = {
    attempts,
    context,
    projects,
    userProjects,
    audit,
    usage: ledgerCounters(usage, clock),
    apiUrl,
    alerts,
    exampleUrl,
  };
  addDashboard(app, deps);
  addProjectForms(app, deps);
  addKeys(app, deps);
  addUsageReport(app, deps);
  addAuditLog(app, deps);
  const url = await listen(app, lifecycle, 'portal', { host: HOST, port: 0 });
  return {
    opened,
    usage,
    alerts,
    userProjects,
    clock,
    stranger: visit(url, ''),
    visitor(userId, signedInAgoMs = 0) {
      const sessionId = randomIds.next();
      const user = newAccount({ id: userId, email: `${userId}@example.org`, createdAt: 0 });
      sessions.set(sessionId, { user, sessionId, signedInAt: clock.time - signedInAgoMs });
      return visit(url, `session=${sessionId}`);
    },
    stop: async () => void (await lifecycle.shutdown('end of test')),
  };
}

function visit(url: string, cookie: string): Visitor {
  const asked = { cookie, accept: 'text/html' };
  return {
    get: (path) => fetch(url + path, { headers: asked, redirect: 'manual' }),
    post: (path, fields = {}, headers = {}) =>
      fetch(url + path, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams(fields),
        headers: { ...asked, origin: url, ...headers },
      }),
  };
}
