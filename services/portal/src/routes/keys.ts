/** A project's keys: list, create, change, reveal, rotate, revoke; and the end of the project. */
import type { HttpServer } from '@hindsight/http/types.ts';
import type { ListedKey } from '@hindsight/projects/ports.ts';
import { InvalidProject } from '@hindsight/projects/project.ts';
import { SCOPES, type KeyTerms } from '@hindsight/projects/project-key.ts';
import { DAY_MS } from '@hindsight/kernel/durations.ts';
import { startOfDay } from '@hindsight/usage/calendar.ts';
import { hashOf } from '../accounts/secrets.ts';
import { projectPath } from '../domain/project-path.ts';
import { deletePage, keyPage, keysPage, type KeyModel } from '../pages/keys.ts';
import type { FormErrors } from '../pages/parts/form.ts';
import type { KeyFormValues } from '../pages/parts/key-form.ts';
import {
  keyNotFound,
  onChange,
  onProject,
  sendProjectPage,
  type DashboardDeps,
  type Refuse,
  type Visit,
} from './dashboard.ts';
import { graceOf, textOf } from './forms.ts';
import { goTo, noticeOf, type Notices } from './pages.ts';
import { isRecent } from './signed-in.ts';

/** By the `done` in the URL. */
const DONE: Notices = {
  created: 'Key created. It works now.',
  changed: 'Key changed.',
  rotated: 'Key rotated.',
  revoked: 'Key revoked.',
};

const CHANGED = 'This key was changed since you opened its page. Nothing was saved: these are its terms now.';

const NEW_KEY: KeyFormValues = {
  name: '',
  scopes: ['read'],
  addresses: '',
  origins: '',
  lastDay: '',
  cap: '',
};

/** `/dashboard/projects/<id>/keys` and the pages below it, and `/dashboard/projects/<id>/delete`. */
export function addKeys(app: HttpServer, deps: DashboardDeps): void {
  onProject(app, deps, 'GET', '/keys', (visit) => sendKeys(deps, visit, {}));
  const refuseNew: Refuse = (visit, errors) => sendKeys(deps, visit, { form: formIn(visit), errors });
  onChange(app, deps, '/keys', refuseNew, async (visit) => {
    const { project, reply, by } = visit;
    const terms = choiceOf(formIn(visit));
    const { key } = await deps.projects.createKey(project.id, terms, by);
    await goTo(reply, `${keyPath(project.id, key.id)}?done=created`);
  });
  onProject(app, deps, 'GET', '/keys/:key', (visit) => sendKey(deps, visit, {}));
  const refuseTerms: Refuse = (visit, errors) => sendKey(deps, visit, { form: formIn(visit), errors });
  onChange(app, deps, '/keys/:key', refuseTerms, async (visit) => {
    const { project, by } = visit;
    const form = formIn(visit);
    const before = (await deps.projects.listKeys(project.id)).find(({ id }) => id === keyIdOf(visit));
    if (before === undefined) throw keyNotFound();
    const shown = textOf(visit.request.body, 'shown');
    if (shown !== '' && shown !== markOf(before)) return sendKey(deps, visit, { errors: { form: CHANGED } });
    const { expiresAt, ...choice } = choiceOf(form);
    // An expiry within the same day keeps its time.
    const changed = form.lastDay === formOf(before).lastDay ? choice : { ...choice, expiresAt };
    await deps.projects.updateKey(project.id, before.id, changed, by);
    await done(visit, 'changed');
  });
  const refuse: Refuse = (visit, errors) => sendKey(deps, visit, { errors });
  onChange(app, deps, '/keys/:key/reveal', refuse, async (visit) => {
    const secret = await deps.projects.showKey(visit.project.id, visit.by, keyIdOf(visit));
    await sendKey(deps, visit, { secret: secret ?? undefined });
  });
  onChange(app, deps, '/keys/:key/rotate', refuse, async (visit) => {
    const rotation = { keyId: keyIdOf(visit), graceMs: graceOf(visit.request.body) };
    await deps.projects.rotate(visit.project.id, rotation, visit.by);
    await done(visit, 'rotated');
  });
  onChange(app, deps, '/keys/:key/revoke', refuse, async (visit) => {
    const { project, reply, by } = visit;
    await deps.projects.revokeKey(project.id, keyIdOf(visit), by);
    await goTo(reply, `${projectPath(project.id)}/keys?done=revoked`);
  });
  onProject(app, deps, 'GET', '/delete', (visit) => sendDelete(deps, visit));
  const refuseEnd: Refuse = (visit, errors) => sendDelete(deps, visit, errors);
  onChange(app, deps, '/delete', refuseEnd, async (visit) => {
    const { project, request, reply, by } = visit;
    if (asRead(textOf(request.body, 'name')) !== asRead(project.name))
      return sendDelete(deps, visit, { fields: { name: 'This is not the name of the project.' } });
    await deps.projects.delete(project.id, by);
    // The dashboard leads to the first project. It may have to refuse to create one: that is no failure of the deletion.
    await goTo(reply, '/dashboard?done=deleted');
  });
}

function keyPath(projectId: string, keyId: string): string {
  return `${projectPath(projectId)}/keys/${encodeURIComponent(keyId)}`;
}

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
  await sendProjectPage(deps, visit, keysPage, {
    project,
    keys: await projects.listKeys(project.id),
    now: context.clock.now(),
    form,
    errors,
    isRecent: isRecent(context, signedIn),
    notice: noticeOf(DONE, request.query.done),
  });
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
  if (key === undefined) throw keyNotFound();
  await sendProjectPage(deps, visit, keyPage, {
    project,
    key,
    now: context.clock.now(),
    form: more.form ?? formOf(key),
    shown: markOf(key),
    errors: more.errors,
    secret: more.secret,
    isOnly: keys.filter(({ revokedAt }) => revokedAt === null).length === 1,
    isRecent: isRecent(context, signedIn),
    notice: noticeOf(DONE, request.query.done),
  });
}

function sendDelete(deps: DashboardDeps, visit: Visit, errors?: FormErrors): Promise<void> {
  const { signedIn, project } = visit;
  return sendProjectPage(deps, visit, deletePage, {
    project,
    errors,
    isRecent: isRecent(deps.context, signedIn),
  });
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

/** Tells terms from later ones: a page that stayed open must not bring back what another tab took away. */
function markOf(key: ListedKey): string {
  return hashOf(JSON.stringify(formOf(key)));
}

function formIn({ request: { body } }: Visit): KeyFormValues {
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

/** A name as its reader can type it: pages hide marks of direction, and show all white space as one blank. */
function asRead(name: string): string {
  const seen = name
    .normalize()
    .replaceAll(/[\p{Bidi_Control}\ufeff\ufffd]/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  // One of marks alone stays as it is: an empty answer must not be the same.
  return seen || name.trim();
}

function linesOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((entry) => entry !== '');
}

function endOf(day: string): number {
  const start = startOfDay(day);
  if (start === undefined) throw new InvalidProject('expiry: a day such as 2026-12-31 is expected');
  return start + DAY_MS;
}
