import type { FastifyReply } from 'fastify';
import type { HttpServer } from '@hindsight/http/types.ts';
import { accountPage, type AccountModel } from '../pages/account.ts';
import type { SignedIn } from '../ports.ts';
import { AGAIN_FOR_ACCOUNT, SWITCHED, type AccountRouteDeps } from './account-deps.ts';
import { NO_EMAIL } from '../pages/parts/ways-in.ts';
import { textOf, type Form, type Query } from './forms.ts';
import { frameFor, goTo, noticeOf, sendPage, type Notices } from './pages.ts';
import { confirmFirst, isOfAnother, isRecent, requireUser } from './signed-in.ts';

/** By the `done` in the URL, like `LINK_FAULTS`. */
const DONE: Notices = {
  email: 'Email address changed.',
  asked: 'We’ve sent a confirmation link to the new address.',
  password: 'Password changed. All other sessions are signed out.',
  linked: 'Linked. You can now sign in with it.',
  removed: 'Removed. It can no longer be used to sign in.',
  ended: 'Session signed out.',
};

const LINK_FAULTS: Notices = {
  others: 'This sign-in belongs to another account. Remove it there first, or delete that account.',
  'too-many': 'This account has the maximum number of linked sign-ins.',
  refused: 'Cancelled. Nothing has changed.',
  different: 'This sign-in isn’t linked to this account.',
  failed: 'The sign-in provider didn’t respond. Please try again.',
  unknown: 'That took too long or was started in another browser. Please try again.',
  switched: 'You have signed in to this account since you opened that page. Nothing has changed.',
  gone: 'You were signed out before it was linked. Nothing has changed.',
  last: 'This is the only way to sign in to this account.',
};

interface Own {
  readonly reply: FastifyReply;
  readonly signedIn: SignedIn;
  readonly body: Form['Body'];
}

/** `GET /account` and its forms. */
export function addAccount(app: HttpServer, deps: AccountRouteDeps): void {
  const own = (
    path: string,
    work: (deps: AccountRouteDeps, own: Own) => Promise<void>,
    recent = true,
  ): void => {
    app.post<Form>(path, async (request, reply) => {
      const signedIn = await requireUser(deps.context, reply);
      if (signedIn === null) return;
      if (isOfAnother(signedIn, request.body?.account)) return goTo(reply, SWITCHED);
      if (recent && !isRecent(deps.context, signedIn)) return confirmOwn(reply, path);
      await work(deps, { reply, signedIn, body: request.body });
    });
  };
  app.get<Query>('/account', async (request, reply) => {
    const signedIn = await requireUser(deps.context, reply);
    if (signedIn === null) return;
    const form = noticeOf(LINK_FAULTS, request.query.done);
    const errors = form === undefined ? undefined : { linked: { form } };
    await show(deps, { reply, signedIn }, { notice: noticeOf(DONE, request.query.done), errors });
  });
  own('/account/email', changeEmail);
  own('/account/password', changePassword);
  own('/account/unlink', unlink);
  own('/account/delete', remove);
  own('/account/sessions/end', endSession, false);
  own('/account/sessions/end-all', endAll, false);
}

/** New passwords are not kept while their owner confirms who they are: that form is filled in again. */
function confirmOwn(reply: FastifyReply, path: string): Promise<void> {
  return path === '/account/password' ? goTo(reply, AGAIN_FOR_ACCOUNT) : confirmFirst(reply, path);
}

async function show(
  deps: AccountRouteDeps,
  { reply, signedIn }: Pick<Own, 'reply' | 'signedIn'>,
  more: Pick<AccountModel, 'notice' | 'errors'>,
  status = 200,
): Promise<void> {
  const account = signedIn.user;
  const page = accountPage(frameFor(deps.context, reply.request, signedIn), {
    account,
    pendingEmail: await deps.changes.waitingEmail(account.id),
    ways: deps.ways,
    sessions: await deps.visitors.sessions.list(account),
    current: signedIn.sessionId,
    ...more,
  });
  await sendPage(reply, page, status);
}

async function refuse(
  deps: AccountRouteDeps,
  own: Own,
  errors: AccountModel['errors'] & object,
): Promise<void> {
  await show(deps, own, { errors }, 422);
}

async function changeEmail(deps: AccountRouteDeps, own: Own): Promise<void> {
  if (!deps.ways.email) return refuse(deps, own, { email: { form: NO_EMAIL } });
  const { reply, signedIn, body } = own;
  const origin = deps.visitors.originOf(reply.request);
  const fault = await deps.changes.askForEmail(signedIn.user, textOf(body, 'email'), origin);
  if (fault !== undefined) return refuse(deps, own, { email: { fields: { email: fault } } });
  await goTo(reply, '/account?done=asked');
}

async function changePassword(deps: AccountRouteDeps, own: Own): Promise<void> {
  const { reply, signedIn, body } = own;
  const form = { current: textOf(body, 'current'), password: textOf(body, 'password') };
  const outcome = await deps.passwords.change(signedIn.user, form, deps.visitors.originOf(reply.request));
  if ('fault' in outcome)
    return refuse(deps, own, { password: { fields: { [outcome.field]: outcome.fault } } });
  await deps.visitors.signIn(reply, outcome);
  await goTo(reply, '/account?done=password');
}

async function unlink(deps: AccountRouteDeps, own: Own): Promise<void> {
  const { reply, signedIn, body } = own;
  const origin = deps.visitors.originOf(reply.request);
  const outcome = await deps.changes.unlink(signedIn.user, textOf(body, 'id'), origin);
  if (typeof outcome === 'string')
    return refuse(deps, own, {
      linked: { form: outcome === 'last' ? LINK_FAULTS.last : 'This sign-in isn’t linked to this account.' },
    });
  // Its owner has not proved again who they are.
  await deps.visitors.signIn(reply, outcome, signedIn.signedInAt);
  await goTo(reply, '/account?done=removed');
}

async function remove(deps: AccountRouteDeps, own: Own): Promise<void> {
  const { reply, signedIn, body } = own;
  if (textOf(body, 'confirm').trim().toLowerCase() !== 'delete')
    return refuse(deps, own, { delete: { fields: { confirm: 'Type “delete”.' } } });
  await deps.changes.remove(signedIn.user, reply.request.ip);
  deps.visitors.forget(reply);
  await goTo(reply, '/sign-in?notice=deleted');
}

async function endSession(deps: AccountRouteDeps, { reply, signedIn, body }: Own): Promise<void> {
  await deps.visitors.sessions.end(signedIn.user.id, textOf(body, 'id'));
  await goTo(reply, '/account?done=ended');
}

async function endAll(deps: AccountRouteDeps, { reply, signedIn }: Own): Promise<void> {
  await deps.changes.signOutEverywhere(signedIn.user.id);
  deps.visitors.forget(reply);
  await goTo(reply, '/sign-in?notice=bye');
}
