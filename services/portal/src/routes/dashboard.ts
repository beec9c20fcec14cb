import { notFound } from '@hindsight/kernel/errors.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import type { AuditLog } from '@hindsight/projects/audit.ts';
import { KeyNotFound, type ProjectRepository } from '@hindsight/projects/ports.ts';
import type { Project } from '@hindsight/projects/project.ts';
import type { AlertSettings } from '@hindsight/usage/alerts/ports.ts';
import { dayOf, monthOf } from '@hindsight/usage/calendar.ts';
import type { MonthCounters } from '@hindsight/usage/counters/ports.ts';
import { describeUsage, type UsageReport } from '@hindsight/usage/describe.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Attempts } from '../accounts/attempts.ts';
import { hasExpired } from '../pages/keys.ts';
import { dashboardPage, type DashboardModel } from '../pages/dashboard.ts';
import { projectPath } from '../domain/project-path.ts';
import type { Frame } from '../pages/frame.ts';
import type { FormErrors } from '../pages/parts/form.ts';
import { projectSettingsPage, type ProjectSettingsModel } from '../pages/project-settings.ts';
import type { SignedIn } from '../ports.ts';
import type { Owner, UserProjects } from '../user-projects.ts';
import { faultOf, type Form, type Query } from './forms.ts';
import { frameFor, noticeOf, orNull, sendPage, statusOf, type Notices, type PageContext } from './pages.ts';
import { confirmFirst, isRecent, requireUser } from './signed-in.ts';

export interface DashboardDeps {
  readonly context: PageContext;
  readonly projects: ProjectRepository;
  readonly userProjects: UserProjects;
  readonly audit: AuditLog;
  readonly usage: Pick<MonthCounters, 'read'>;
  readonly alerts: AlertSettings;
  /** Bounds a user's entries in the audit log. */
  readonly attempts: Pick<Attempts, 'spend'>;
  /** The gateway's public base URL, and a request that it answers. */
  readonly apiUrl: string;
  readonly exampleUrl: string;
}

/** The newest entries of the audit log on the page. */
const MAX_ENTRIES = 6;

export interface ProjectParams {
  Params: { readonly id: string };
}

/** By the `done` in the URL. */
const DONE: Notices = {
  created: 'Project created. Its API key works now.',
  renamed: 'Project renamed.',
  rotated: 'Key rotated.',
  deleted: 'Project deleted. Its API keys no longer work.',
};

/** `GET /dashboard`, `GET /dashboard/projects/<id>`, and below it `/settings` and `/usage`. */
export function addDashboard(app: HttpServer, deps: DashboardDeps): void {
  app.get<Query>('/dashboard', async (request, reply) => {
    const signedIn = await requireUser(deps.context, reply);
    if (signedIn === null) return;
    const { id } = await deps.userProjects.ensureFirst(ownerOf(signedIn, request));
    const { done } = request.query;
    const notice = noticeOf(DONE, done) === undefined ? '' : `?done=${String(done)}`;
    return reply.redirect(projectPath(id) + notice, 303);
  });
  onProject(app, deps, 'GET', '', (visit) =>
    sendDashboard(deps, visit, { notice: noticeOf(DONE, visit.request.query.done) }),
  );
  onProject(app, deps, 'GET', '/settings', (visit) =>
    sendSettings(deps, visit, { notice: noticeOf(DONE, visit.request.query.done) }),
  );
  onProject(app, deps, 'GET', '/usage', async ({ reply, project }) => {
    const usage = await orNull(readUsage(deps, project));
    await reply.header('cache-control', 'no-store').send({ usage });
  });
}

export interface Visit {
  readonly request: FastifyRequest<ProjectParams & Query & Form>;
  readonly reply: FastifyReply;
  readonly signedIn: SignedIn;
  readonly project: Project;
  /** The user, for the audit log. */
  readonly by: Owner;
}

/** The same, whatever its path and form. */
type OwnVisit = Pick<Visit, 'reply' | 'signedIn' | 'project'>;

/** Adds a route below a project's path, for the project's owner. */
export function onProject(
  app: HttpServer,
  deps: DashboardDeps,
  method: 'GET' | 'POST',
  path: string,
  work: (visit: Visit) => Promise<void>,
): void {
  app.route<ProjectParams & Query & Form>({
    method,
    url: `/dashboard/projects/:id${path}`,
    handler: async (request, reply) => {
      const signedIn = await requireUser(deps.context, reply);
      if (signedIn === null) return;
      const project = await ownProject(deps, signedIn, request.params.id);
      await work({ request, reply, signedIn, project, by: ownerOf(signedIn, request) });
    },
  });
}

/** Sends the page of a form again, with its errors. */
export type Refuse = (visit: Visit, errors: FormErrors) => Promise<void>;

/** A form that needs a recent sign-in; each adds a line to the audit log. */
export function onChange(
  app: HttpServer,
  deps: DashboardDeps,
  path: string,
  refuse: Refuse,
  work: (visit: Visit) => Promise<void>,
): void {
  onProject(app, deps, 'POST', path, async (visit) => {
    const { request, reply, signedIn } = visit;
    if (!isRecent(deps.context, signedIn)) return confirmFirst(reply, request.url);
    await deps.attempts.spend(['key of', signedIn.user.id]);
    try {
      await work(visit);
    } catch (error) {
      if (error instanceof KeyNotFound) throw keyNotFound();
      await refuse(visit, faultOf(error));
    }
  });
}

export function keyNotFound(): Error {
  return notFound('not_found', 'This key doesn’t exist.');
}

/** The user, for the audit log. */
export function ownerOf({ user }: SignedIn, request: FastifyRequest): Owner {
  return { userId: user.id, address: request.ip };
}

/**
 * @throws {ApiError} 404 if the project does not exist or belongs to another user, without revealing which
 */
export async function ownProject(
  { projects }: DashboardDeps,
  { user }: SignedIn,
  id: string,
): Promise<Project> {
  const project = await projects.findById(id);
  if (project?.ownerId !== user.id || project.status === 'deleted')
    throw notFound('not_found', 'This project doesn’t exist, or it isn’t yours.');
  return project;
}

/** Sends one of a project's pages, with the reader's projects to switch between: 422 if a form had errors. */
export async function sendProjectPage<Model extends object>(
  { context, userProjects }: DashboardDeps,
  { reply, signedIn, project }: OwnVisit,
  page: (frame: Frame, model: Model) => string,
  model: Model,
): Promise<void> {
  const all = await userProjects.list(signedIn.user.id);
  const projects = all.map(({ id, name }) => ({ id, name, current: id === project.id }));
  const frame = { ...frameFor(context, reply.request, signedIn), projects };
  await sendPage(reply, page(frame, model), statusOf(model));
}

/** Sends a project's first page. */
export async function sendDashboard(
  deps: DashboardDeps,
  visit: OwnVisit,
  more: Pick<DashboardModel, 'notice' | 'errors' | 'revealed'>,
): Promise<void> {
  const { apiUrl, exampleUrl, projects } = deps;
  const { project, signedIn } = visit;
  const [audit, keys, usage] = await Promise.all([
    deps.audit.list(project.id, MAX_ENTRIES),
    projects.listKeys(project.id),
    orNull(readUsage(deps, project)),
  ]);
  // The oldest that is not revoked is the one of this page.
  const key = keys.find(({ revokedAt }) => revokedAt === null);
  const { id: keyId = '', oldEnds: [previousUntil] = [] } = key ?? {};
  const isOver = key !== undefined && hasExpired(key, deps.context.clock.now());
  const shown = { keyId, previousUntil, hasExpired: isOver, reader: signedIn.user.id };
  const model = { project, audit, usage, apiUrl, exampleUrl, ...shown, ...more };
  await sendProjectPage(deps, visit, dashboardPage, model);
}

async function readUsage({ usage, context }: DashboardDeps, project: Project): Promise<UsageReport> {
  const now = context.clock.now();
  return describeUsage(project, await usage.read(project.id, monthOf(dayOf(now))), now);
}

export function sendSettings(
  deps: DashboardDeps,
  visit: OwnVisit,
  more: Pick<ProjectSettingsModel, 'notice' | 'errors'>,
): Promise<void> {
  const { project, signedIn } = visit;
  return sendProjectPage(deps, visit, projectSettingsPage, { project, reader: signedIn.user.id, ...more });
}
