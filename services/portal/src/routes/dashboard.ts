import { notFound } from '@hindsight/kernel/errors.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import type { Project } from '@hindsight/projects/project.ts';
import type { FastifyRequest } from 'fastify';
import { dashboardPage, type DashboardModel } from '../pages/dashboard.ts';
import type { SignedIn } from '../ports.ts';
import type { Owner } from '../user-projects.ts';
import type { DashboardDeps } from './dashboard-deps.ts';
import { readDashboard, usageOf } from './dashboard-model.ts';
import type { Form, Query } from './forms.ts';
import { frameFor, noticeOf, sendPage, type Exchange, type Notices } from './pages.ts';
import { requireUser } from './signed-in.ts';

/** What the dashboard's routes need. */
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

/** `GET /dashboard`, `GET /dashboard/projects/<id>`, `GET /dashboard/projects/<id>/usage`. */
export function addDashboard(app: HttpServer, deps: DashboardDeps): void {
  app.get('/dashboard', async (request, reply) => {
    const signedIn = await requireUser(deps.context, { request, reply });
    if (signedIn === null) return;
    const { id } = await deps.userProjects.ensureFirst(ownerOf(signedIn, request));
    return reply.redirect(pathOf(id), 303);
  });
  onProject(app, deps, 'GET', '', (visit) =>
    sendDashboard(deps, visit, { notice: noticeOf(DONE, visit.request.query.done) }),
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

/** A project's page. */
export function pathOf(id: string): string {
  return `/dashboard/projects/${encodeURIComponent(id)}`;
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
    throw notFound('This project doesn’t exist, or it isn’t yours.');
  return project;
}

/** Sends a project's page: 422 if a form had errors. */
export async function sendDashboard(
  deps: DashboardDeps,
  { request, reply, signedIn, project }: Exchange & Pick<Visit, 'signedIn' | 'project'>,
  more: Pick<DashboardModel, 'notice' | 'errors'>,
): Promise<void> {
  const shown = await readDashboard(deps, project, ownerOf(signedIn, request));
  const frame = frameFor(deps.context, request, signedIn);
  await sendPage(
    { request, reply },
    dashboardPage(frame, { exampleUrl: deps.exampleUrl, ...shown, ...more }),
    more.errors === undefined ? 200 : 422,
  );
}
