import { notFound } from '@hindsight/kernel/errors.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import type { Project } from '@hindsight/projects/project.ts';
import type { FastifyRequest } from 'fastify';
import { dashboardPage, type DashboardModel } from '../pages/dashboard.ts';
import { projectPath } from '../domain/project-path.ts';
import type { Frame } from '../pages/frame.ts';
import type { Revealed } from '../pages/parts/key.ts';
import { projectSettingsPage, type ProjectSettingsModel } from '../pages/project-settings.ts';
import type { SignedIn } from '../ports.ts';
import type { Owner } from '../user-projects.ts';
import type { DashboardDeps } from './dashboard-deps.ts';
import { readDashboard, usageOf } from './dashboard-model.ts';
import type { Form, Query } from './forms.ts';
import { frameFor, noticeOf, sendPage, statusOf, type Exchange, type Notices } from './pages.ts';
import { requireUser } from './signed-in.ts';

/** The parameter of a project's pages. */
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
  app.get('/dashboard', async (request, reply) => {
    const signedIn = await requireUser(deps.context, { request, reply });
    if (signedIn === null) return;
    const { id } = await deps.userProjects.ensureFirst(ownerOf(signedIn, request));
    return reply.redirect(projectPath(id), 303);
  });
  onProject(app, deps, 'GET', '', (visit) =>
    sendDashboard(deps, visit, { notice: noticeOf(DONE, visit.request.query.done) }),
  );
  onProject(app, deps, 'GET', '/settings', (visit) =>
    sendSettings(deps, visit, { notice: noticeOf(DONE, visit.request.query.done) }),
  );
  onProject(app, deps, 'GET', '/usage', async ({ reply, project }) => {
    const usage = await usageOf(deps.usage, project, deps.context.clock.now());
    await reply.header('cache-control', 'no-store').send({ usage });
  });
}

/** A request by the owner of a project. */
export interface Visit extends Exchange {
  readonly request: FastifyRequest<ProjectParams & Query & Form>;
  readonly signedIn: SignedIn;
  readonly project: Project;
}

/** The same, whatever its path and form. */
type OwnVisit = Exchange & Pick<Visit, 'signedIn' | 'project'>;

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
      const signedIn = await requireUser(deps.context, { request, reply });
      if (signedIn === null) return;
      const project = await ownProject(deps, signedIn, request.params.id);
      await work({ request, reply, signedIn, project });
    },
  });
}

/** The user, for the audit log. */
export function ownerOf({ user }: SignedIn, request: FastifyRequest): Owner {
  return { userId: user.id, address: request.ip };
}

/** @throws {ApiError} 404 if the project does not exist or belongs to another user: the answer does not reveal which */
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
  { request, reply, signedIn, project }: OwnVisit,
  page: (frame: Frame, model: Model) => string,
  model: Model,
): Promise<void> {
  const all = await userProjects.list(signedIn.user.id);
  const projects = all.map(({ id, name }) => ({ id, name, current: id === project.id }));
  const frame = { ...frameFor(context, request, signedIn), projects };
  await sendPage({ request, reply }, page(frame, model), statusOf(model));
}

/** Sends a project's first page. */
export async function sendDashboard(
  deps: DashboardDeps,
  visit: OwnVisit,
  { revealed, ...more }: Pick<DashboardModel, 'notice' | 'errors'> & { revealed?: Revealed },
): Promise<void> {
  const { apiUrl, exampleUrl } = deps;
  const shown = await readDashboard(deps, visit.project, ownerOf(visit.signedIn, visit.request));
  const key = { ...shown.key, revealed };
  await sendProjectPage(deps, visit, dashboardPage, { ...shown, key, apiUrl, exampleUrl, ...more });
}

/** Sends the settings of a project. */
export function sendSettings(
  deps: DashboardDeps,
  visit: OwnVisit,
  more: Pick<ProjectSettingsModel, 'notice' | 'errors'>,
): Promise<void> {
  return sendProjectPage(deps, visit, projectSettingsPage, { project: visit.project, ...more });
}
