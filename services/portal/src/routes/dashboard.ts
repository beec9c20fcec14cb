import type { Clock } from '@hindsight/shared/clock.ts';
import { notFound } from '@hindsight/shared/errors.ts';
import type { HttpServer } from '@hindsight/shared/http/types.ts';
import type { Project } from '@hindsight/shared/projects/project.ts';
import type { FastifyRequest } from 'fastify';
import { dashboardPage, type DashboardModel } from '../pages/dashboard.ts';
import type { Attempts } from '../accounts/attempts.ts';
import type { SignedIn } from '../ports.ts';
import type { Asking, ProjectDesk } from '../project-ports.ts';
import { readDashboard, usageOf } from './dashboard-model.ts';
import type { Query } from './forms.ts';
import { noticeOf, type Notices } from './notices.ts';
import { frameFor, sendPage, type Exchange, type PageContext } from './pages.ts';
import { requireUser } from './signed-in.ts';

/** What the dashboard's routes stand on. */
export interface DashboardParts extends ProjectDesk {
  readonly context: PageContext;
  readonly clock: Clock;
  /** Bounds what one user can write into the audit log. */
  readonly attempts: Pick<Attempts, 'spend'>;
  /** The gateway's public base URL, without a slash at its end. */
  readonly apiUrl: string;
}

/** The parameter of a project's pages. */
export interface ProjectParams {
  Params: { readonly id: string };
}

/** By the `done` of the address. */
const DONE: Notices = {
  created: 'The project is made. Its Project ID works at once.',
  renamed: 'The project has its new name.',
  rotated: 'The project has a new Project ID.',
};

/** `GET /dashboard`, `GET /dashboard/projects/<id>`, `GET /dashboard/projects/<id>/usage`. */
export function addDashboard(app: HttpServer, parts: DashboardParts): void {
  app.get('/dashboard', async (request, reply) => {
    const signedIn = await requireUser(parts.context, { request, reply });
    if (signedIn === null) return;
    const { id } = await parts.projects.ensureFirst(askingOf(signedIn, request));
    return reply.redirect(pathOf(id), 303);
  });
  app.get<ProjectParams & Query>('/dashboard/projects/:id', async (request, reply) => {
    const signedIn = await requireUser(parts.context, { request, reply });
    if (signedIn === null) return;
    const project = await ownProject(parts, signedIn, request.params.id);
    const notice = noticeOf(DONE, request.query.done);
    await sendDashboard(parts, { request, reply, signedIn, project }, notice === undefined ? {} : { notice });
  });
  app.get<ProjectParams>('/dashboard/projects/:id/usage', async (request, reply) => {
    const signedIn = await requireUser(parts.context, { request, reply });
    if (signedIn === null) return;
    const project = await ownProject(parts, signedIn, request.params.id);
    const report = await usageOf(parts.usage, project, parts.clock.now());
    return reply.header('cache-control', 'no-store').send({ usage: report });
  });
}

/** A project's page. */
export function pathOf(id: string): string {
  return `/dashboard/projects/${encodeURIComponent(id)}`;
}

/** For the audit log. */
export function askingOf({ user }: SignedIn, request: FastifyRequest): Asking {
  return { userId: user.id, address: request.ip };
}

/** @throws {ApiError} 404 when there is no such project, or it is somebody else's: nobody can tell which */
export async function ownProject(
  { projects }: ProjectDesk,
  { user }: SignedIn,
  id: string,
): Promise<Project> {
  const project = await projects.find(user.id, id);
  if (project === null) throw notFound('There is no such project.');
  return project;
}

/** An exchange with the owner of a project. */
export interface Visit extends Exchange {
  readonly signedIn: SignedIn;
  readonly project: Project;
}

/** Sends a project's page; with what was wrong with a form, as 422. */
export async function sendDashboard(
  parts: DashboardParts,
  { request, reply, signedIn, project }: Visit,
  more: Pick<DashboardModel, 'notice' | 'errors'>,
): Promise<void> {
  const shown = await readDashboard(parts, project, parts.clock.now());
  const frame = frameFor(parts.context, request, signedIn);
  const page = dashboardPage({ frame, apiUrl: parts.apiUrl, ...shown, ...more });
  await sendPage(reply, page, more.errors === undefined ? 200 : 422);
}
