/** A project's keys: list, create, change, reveal, rotate, revoke; and the end of the project. */
import { notFound } from '@hindsight/kernel/errors.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { KeyNotFound, type ListedKey } from '@hindsight/projects/ports.ts';
import { InvalidProject } from '@hindsight/projects/project.ts';
import { MAX_KEYS, SCOPES, type KeyTerms } from '@hindsight/projects/project-key.ts';
import { DAY_MS } from '../domain/durations.ts';
import { deletePage, keyPage, keysPage, type KeyLine, type KeyModel } from '../pages/keys.ts';
import type { FormErrors } from '../pages/parts/form.ts';
import type { KeyFormValues } from '../pages/parts/key-form.ts';
import { GRACES } from './dashboard-model.ts';
import { onProject, ownerOf, pathOf, projectFrame, type Visit } from './dashboard.ts';
import type { DashboardDeps } from './dashboard-deps.ts';
import { textOf, type Form } from './forms.ts';
import { goTo, noticeOf, sendPage, type Notices } from './pages.ts';
import { confirmFirst, isRecent } from './signed-in.ts';

/** By the `done` in the URL. */
const DONE: Notices = {
  created: 'Key created. It works now.',
  changed: 'Key changed.',
  rotated: 'Key rotated.',
  revoked: 'Key revoked.',
};

const NEW_KEY: KeyFormValues = {
  name: '',
  scopes: ['read'],
  addresses: '',
  origins: '',
  lastDay: '',
  cap: '',
};

/** `/dashboard/projects/<id>/keys` and what is below it, and `/dashboard/projects/<id>/delete`. */
export function addKeys(app: HttpServer, deps: DashboardDeps): void {
  onProject(app, deps, 'GET', '/keys', (visit) => sendKeys(deps, visit, {}));
  onChange(app, deps, '/keys', async (visit) => {
    const { project, request, reply, signedIn } = visit;
    const form = valuesOf(request.body);
    try {
      const { key } = await deps.projects.createKey(project.id, choiceOf(form), ownerOf(signedIn, request));
      await goTo(reply, `${keyPath(project.id, key.id)}?done=created`);
    } catch (error) {
      await sendKeys(deps, visit, { form, errors: faultOf(error) });
    }
  });
  onProject(app, deps, 'GET', '/keys/:key', (visit) => sendKey(deps, visit, {}));
  onChange(app, deps, '/keys/:key', async (visit) => {
    const { project, request, signedIn } = visit;
    const form = valuesOf(request.body);
    const before = (await deps.projects.listKeys(project.id)).find(({ id }) => id === keyIdOf(visit));
    if (before === undefined) throw noSuchKey();
    try {
      const { expiresAt, ...choice } = choiceOf(form);
      // An expiry within the day stays as it is.
      const changed = form.lastDay === formOf(before).lastDay ? choice : { ...choice, expiresAt };
      await deps.projects.updateKey(project.id, before.id, changed, ownerOf(signedIn, request));
      await done(visit, 'changed');
    } catch (error) {
      await sendKey(deps, visit, { form, errors: faultOf(error) });
    }
  });
  onChange(app, deps, '/keys/:key/reveal', async (visit) => {
    const { project, request, signedIn } = visit;
    const secret = await deps.projects.showKey(project.id, ownerOf(signedIn, request), keyIdOf(visit));
    await sendKey(deps, visit, { secret: secret ?? undefined });
  });
  onChange(app, deps, '/keys/:key/rotate', async (visit) => {
    const { project, request, signedIn } = visit;
    const grace = GRACES.find(({ ms }) => String(ms) === textOf(request.body, 'graceMs'));
    const errors = { form: 'Choose how long the current key keeps working.' };
    if (grace === undefined) return sendKey(deps, visit, { errors });
    try {
      const rotation = { keyId: keyIdOf(visit), graceMs: grace.ms };
      await deps.projects.rotate(project.id, rotation, ownerOf(signedIn, request));
      await done(visit, 'rotated');
    } catch (error) {
      await sendKey(deps, visit, { errors: faultOf(error) });
    }
  });
  onChange(app, deps, '/keys/:key/revoke', async (visit) => {
    const { project, request, reply, signedIn } = visit;
    try {
      await deps.projects.revokeKey(project.id, keyIdOf(visit), ownerOf(signedIn, request));
      await goTo(reply, `${pathOf(project.id)}/keys?done=revoked`);
    } catch (error) {
      await sendKey(deps, visit, { errors: faultOf(error) });
    }
  });
  onProject(app, deps, 'GET', '/delete', (visit) => sendDelete(deps, visit, undefined));
  onChange(app, deps, '/delete', async (visit) => {
    const { project, request, reply, signedIn } = visit;
    if (textOf(request.body, 'name').trim() !== project.name) {
      const errors = { fields: { name: 'This is not the name of the project.' } };
      return sendDelete(deps, visit, errors);
    }
    const by = ownerOf(signedIn, request);
    await deps.projects.delete(project.id, by);
    await goTo(reply, `${pathOf((await deps.userProjects.ensureFirst(by)).id)}?done=deleted`);
  });
}

/** A form that needs a recent sign-in; each adds a line to the audit log. */
function onChange(
  app: HttpServer,
  deps: DashboardDeps,
  path: string,
  work: (visit: Visit) => Promise<void>,
): void {
  onProject(app, deps, 'POST', path, async (visit) => {
    const { request, reply, project, signedIn } = visit;
    if (!isRecent(deps.context, signedIn)) return confirmFirst(reply, request.url);
    await deps.attempts.spend(['key of', signedIn.user.id]);
    try {
      await work({ request, reply, project, signedIn });
    } catch (error) {
      if (error instanceof KeyNotFound) throw noSuchKey();
      throw error;
    }
  });
}

function keyPath(projectId: string, keyId: string): string {
  return `${pathOf(projectId)}/keys/${encodeURIComponent(keyId)}`;
}

/** Of the routes that have it. */
function keyIdOf({ request }: Visit): string {
  return (request.params as { readonly key?: string }).key ?? '';
}

function done(visit: Visit, what: keyof typeof DONE): Promise<void> {
  return goTo(visit.reply, `${keyPath(visit.project.id, keyIdOf(visit))}?done=${what}`);
}

interface KeysMore {
  readonly form?: KeyFormValues;
  readonly errors?: FormErrors;
}

async function sendKeys(
  deps: DashboardDeps,
  visit: Visit,
  { form = NEW_KEY, errors }: KeysMore,
): Promise<void> {
  const { projects, context } = deps;
  const { request, signedIn, project } = visit;
  const keys = (await projects.listKeys(project.id)).map((key) => lineOf(key, context.clock.now()));
  const model = {
    project,
    keys,
    form,
    errors,
    maxKeys: MAX_KEYS,
    isRecent: isRecent(context, signedIn),
    notice: noticeOf(DONE, request.query.done),
  };
  const page = keysPage(await projectFrame(deps, visit), model);
  await sendPage(visit, page, errors === undefined ? 200 : 422);
}

/** @throws {ApiError} 404 */
async function sendKey(
  deps: DashboardDeps,
  visit: Visit,
  more: KeysMore & Pick<KeyModel, 'secret'>,
): Promise<void> {
  const { projects, context } = deps;
  const { request, signedIn, project } = visit;
  const keys = await projects.listKeys(project.id);
  const key = keys.find(({ id }) => id === keyIdOf(visit));
  if (key === undefined) throw noSuchKey();
  const model: KeyModel = {
    project,
    key: lineOf(key, context.clock.now()),
    form: more.form ?? formOf(key),
    errors: more.errors,
    secret: more.secret,
    isOnly: keys.filter(({ revokedAt }) => revokedAt === null).length === 1,
    graces: GRACES,
    isRecent: isRecent(context, signedIn),
    notice: noticeOf(DONE, request.query.done),
  };
  const page = keyPage(await projectFrame(deps, visit), model);
  await sendPage(visit, page, more.errors === undefined ? 200 : 422);
}

async function sendDelete(deps: DashboardDeps, visit: Visit, errors: FormErrors | undefined): Promise<void> {
  const { signedIn, project } = visit;
  const model = { project, errors, isRecent: isRecent(deps.context, signedIn) };
  const page = deletePage(await projectFrame(deps, visit), model);
  await sendPage(visit, page, errors === undefined ? 200 : 422);
}

function noSuchKey(): Error {
  return notFound('not_found', 'This key doesn’t exist.');
}

function lineOf(key: ListedKey, now: number): KeyLine {
  const { id, name, scopes, last4, monthlyCap: cap, expiresAt, revokedAt } = key;
  const isExpired = expiresAt !== null && expiresAt <= now;
  return {
    id,
    name,
    masked: `hs_…${last4 ?? ''}`,
    status: revokedAt !== null ? 'revoked' : isExpired ? 'expired' : 'active',
    scopes,
    addresses: key.allowedAddresses,
    origins: key.allowedOrigins,
    cap,
    createdAt: new Date(key.createdAt),
    expiresAt: dateOf(expiresAt),
    lastUsedAt: dateOf(key.lastUsedAt),
    revokedAt: dateOf(revokedAt),
    previousUntil: dateOf(key.oldEnds[0] ?? null),
  };
}

function dateOf(time: number | null): Date | null {
  return time === null ? null : new Date(time);
}

function formOf({ name, scopes, allowedAddresses, allowedOrigins, expiresAt, monthlyCap }: ListedKey) {
  return {
    name,
    scopes,
    addresses: allowedAddresses.join('\n'),
    origins: allowedOrigins.join('\n'),
    lastDay: expiresAt === null ? '' : new Date(expiresAt - 1).toISOString().slice(0, 10),
    cap: monthlyCap === null ? '' : String(monthlyCap),
  };
}

function valuesOf(body: Form['Body']): KeyFormValues {
  return {
    name: textOf(body, 'name'),
    scopes: SCOPES.filter((scope) => textOf(body, `scope-${scope}`) !== ''),
    addresses: textOf(body, 'addresses'),
    origins: textOf(body, 'origins'),
    lastDay: textOf(body, 'lastDay'),
    cap: textOf(body, 'cap'),
  };
}

/** @throws {InvalidProject} */
function choiceOf({ name, scopes, addresses, origins, lastDay, cap }: KeyFormValues): KeyTerms {
  return {
    name,
    scopes: SCOPES.filter((scope) => scopes.includes(scope)),
    allowedAddresses: linesOf(addresses),
    allowedOrigins: linesOf(origins),
    expiresAt: lastDay === '' ? null : endOf(lastDay),
    monthlyCap: cap.trim() === '' ? null : Number(cap.replaceAll(/[\s,]/g, '')),
  };
}

function linesOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((entry) => entry !== '');
}

function endOf(day: string): number {
  const start = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(day) : NaN;
  if (Number.isNaN(start)) throw new InvalidProject('expiry: a day such as 2026-12-31 is expected');
  return start + DAY_MS;
}

/** The error to show in the form. Anything unexpected is rethrown. */
function faultOf(error: unknown): FormErrors {
  if (!(error instanceof InvalidProject)) throw error;
  return { form: `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.` };
}
