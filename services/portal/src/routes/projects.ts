/** What a user does with projects: make one, give it another name, look at its key, rotate it. */
import type { HttpServer } from '@hindsight/shared/http/types.ts';
import { InvalidProject } from '@hindsight/shared/projects/project.ts';
import type { FastifyReply } from 'fastify';
import { TooManyProjects } from '../project-ports.ts';
import { GRACES } from './dashboard-model.ts';
import {
  askingOf,
  ownProject,
  pathOf,
  sendDashboard,
  type DashboardParts,
  type ProjectParams,
  type Visit,
} from './dashboard.ts';
import { textOf, type Form } from './forms.ts';
import { isRecent, requireUser } from './signed-in.ts';

/** `POST /dashboard/projects` and what hangs below it. */
export function addProjectForms(app: HttpServer, parts: DashboardParts): void {
  addCreate(app, parts);
  addRename(app, parts);
  addShow(app, parts);
  addRotate(app, parts);
}

function addCreate(app: HttpServer, parts: DashboardParts): void {
  app.post<Form>('/dashboard/projects', async (request, reply) => {
    const signedIn = await requireUser(parts.context, { request, reply });
    if (signedIn === null) return;
    const by = askingOf(signedIn, request);
    await parts.attempts.spend(['project of', by.userId]);
    try {
      const { id } = await parts.projects.create(by, textOf(request.body, 'name'));
      return await reply.redirect(`${pathOf(id)}?done=created`, 303);
    } catch (error) {
      const project = await parts.projects.ensureFirst(by);
      const create = faultOf(error, 'name');
      await sendDashboard(parts, { request, reply, signedIn, project }, { errors: { create } });
    }
  });
}

function addRename(app: HttpServer, parts: DashboardParts): void {
  app.post<Form & ProjectParams>('/dashboard/projects/:id/name', async (request, reply) => {
    const signedIn = await requireUser(parts.context, { request, reply });
    if (signedIn === null) return;
    const project = await ownProject(parts, signedIn, request.params.id);
    await parts.attempts.spend(['project of', signedIn.user.id]);
    try {
      await parts.projects.rename(askingOf(signedIn, request), project.id, textOf(request.body, 'name'));
      return await reply.redirect(`${pathOf(project.id)}?done=renamed`, 303);
    } catch (error) {
      const rename = faultOf(error, 'name');
      await sendDashboard(parts, { request, reply, signedIn, project }, { errors: { rename } });
    }
  });
}

/** Asked by public/key.js: the key as JSON, or 403 `{error: "recent-login"}` when somebody has to sign in first. */
function addShow(app: HttpServer, parts: DashboardParts): void {
  app.post<ProjectParams>('/dashboard/projects/:id/key', async (request, reply) => {
    const signedIn = await parts.context.sessions.current(request.headers);
    reply.header('cache-control', 'no-store');
    if (signedIn === null || !isRecent(parts, signedIn))
      return reply.code(403).send({ error: 'recent-login' });
    const { id } = await ownProject(parts, signedIn, request.params.id);
    await parts.attempts.spend(['key of', signedIn.user.id]);
    return reply.send({ key: await parts.projects.showKey(askingOf(signedIn, request), id) });
  });
}

function addRotate(app: HttpServer, parts: DashboardParts): void {
  app.post<Form & ProjectParams>('/dashboard/projects/:id/rotate', async (request, reply) => {
    const signedIn = await requireUser(parts.context, { request, reply });
    if (signedIn === null) return;
    const project = await ownProject(parts, signedIn, request.params.id);
    if (!isRecent(parts, signedIn)) return signInAgain(reply, project.id);
    const grace = GRACES.find(({ ms }) => String(ms) === textOf(request.body, 'graceMs'));
    const errors = { rotate: { form: 'Choose for how long the old Project ID goes on working.' } };
    if (grace === undefined) return sendDashboard(parts, { request, reply, signedIn, project }, { errors });
    await parts.attempts.spend(['key of', signedIn.user.id]);
    return rotate(parts, { request, reply, signedIn, project }, grace.ms);
  });
}

async function rotate(parts: DashboardParts, visit: Visit, graceMs: number): Promise<void> {
  const { request, reply, signedIn, project } = visit;
  try {
    await parts.projects.rotate(askingOf(signedIn, request), project.id, graceMs);
    await reply.redirect(`${pathOf(project.id)}?done=rotated`, 303);
  } catch (error) {
    await sendDashboard(parts, visit, { errors: { rotate: faultOf(error) } });
  }
}

async function signInAgain(reply: FastifyReply, id: string): Promise<void> {
  await reply.redirect(`/sign-in?again=1&next=${encodeURIComponent(pathOf(id))}`, 303);
}

/** What a form is told; anything else that went wrong is thrown on. */
function faultOf(error: unknown, field?: string) {
  if (error instanceof TooManyProjects) return { form: error.message };
  if (!(error instanceof InvalidProject)) throw error;
  const words = error.message.charAt(0).toUpperCase() + error.message.slice(1);
  return field === undefined ? { form: words } : { fields: { [field]: words } };
}
