/** The user's actions on projects: create, rename, reveal the key, rotate it. */
import { addressBlock } from '@hindsight/http/address-block.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { projectPath } from '../domain/project-path.ts';
import { SWITCHED } from './account-deps.ts';
import {
  onChange,
  onProject,
  ownerOf,
  ownProject,
  sendDashboard,
  sendSettings,
  type DashboardDeps,
  type ProjectParams,
  type Refuse,
} from './dashboard.ts';
import { faultOf, graceOf, textOf, type Form, type Query } from './forms.ts';
import { goTo } from './pages.ts';
import { confirmFirst, isOfAnother, isRecent, requireUser } from './signed-in.ts';

/** `POST /dashboard/projects` and the forms below it. */
export function addProjectForms(app: HttpServer, deps: DashboardDeps): void {
  app.post<Form>('/dashboard/projects', async (request, reply) => {
    const signedIn = await requireUser(deps.context, reply);
    if (signedIn === null) return;
    if (isOfAnother(signedIn, request.body?.account)) return goTo(reply, SWITCHED);
    const by = ownerOf(signedIn, request);
    await deps.attempts.spend(['project of', by.userId], ['project from', addressBlock(by.address)]);
    try {
      const { id } = await deps.userProjects.create(by, textOf(request.body, 'name'));
      await goTo(reply, `${projectPath(id)}?done=created`);
    } catch (error) {
      const create = faultOf(error, 'name');
      const project = await deps.userProjects.ensureFirst(by);
      await sendSettings(deps, { reply, signedIn, project }, { errors: { create } });
    }
  });

  onProject(app, deps, 'POST', '/name', async (visit) => {
    const { request, reply, project, by } = visit;
    await deps.attempts.spend(['project of', by.userId]);
    try {
      await deps.projects.rename(project.id, textOf(request.body, 'name'), by);
      await goTo(reply, `${projectPath(project.id)}?done=renamed`);
    } catch (error) {
      await sendSettings(deps, visit, { errors: { rename: faultOf(error, 'name') } });
    }
  });

  // By public/key.js: the key as JSON, or 403 `{error: "recent-login"}` when the user has to sign in first. By the form
  // (`as=page`): the project's page with the key in it.
  app.post<ProjectParams & Query & Form>('/dashboard/projects/:id/key', async (request, reply) => {
    const asPage = textOf(request.body, 'as') === 'page';
    const signedIn = asPage
      ? await requireUser(deps.context, reply)
      : await deps.context.sessions.current(request.headers);
    void reply.header('cache-control', 'no-store');
    if (asPage && signedIn === null) return;
    if (signedIn === null || !isRecent(deps.context, signedIn))
      return asPage ? confirmFirst(reply, request.url) : reply.code(403).send({ error: 'recent-login' });
    const project = await ownProject(deps, signedIn, request.params.id);
    await deps.attempts.spend(['key of', signedIn.user.id]);
    const key = await deps.projects.showKey(project.id, ownerOf(signedIn, request));
    if (!asPage) return reply.send({ key });
    const revealed = { key: key ?? '', then: textOf(request.body, 'then') };
    await sendDashboard(deps, { reply, signedIn, project }, { revealed });
  });

  const refuse: Refuse = (visit, errors) => sendDashboard(deps, visit, { errors });
  onChange(app, deps, '/rotate', refuse, async ({ request, reply, project, by }) => {
    const keyId = textOf(request.body, 'key');
    const rotation = { graceMs: graceOf(request.body), ...(keyId && { keyId }) };
    await deps.projects.rotate(project.id, rotation, by);
    await goTo(reply, `${projectPath(project.id)}?done=rotated`);
  });
}
