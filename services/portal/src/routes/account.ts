import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpServer } from '@hindsight/http/types.ts';
import { canDoWithout, loginOf, type Account } from '../domain/account.ts';
import { deviceOf } from '../domain/device.ts';
import { accountPage, type AccountModel } from '../pages/account.ts';
import type { SignedIn } from '../ports.ts';
import { AGAIN_FOR_ACCOUNT, type AccountDeps } from './account-deps.ts';
import { NO_EMAIL } from '../pages/parts/ways-in.ts';
import { textOf, type Form, type Query } from './forms.ts';
import { frameFor, goTo, noticeOf, sendPage, type Exchange, type Notices } from './pages.ts';
import { confirmFirst, isRecent, requireUser } from './signed-in.ts';

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
  refused: 'Linking was cancelled.',
  failed: 'The sign-in provider didn’t respond. Please try again.',
  unknown: 'That took too long or was started in another browser. Please try again.',
  last: 'This is the only way to sign in to this account.',
};

/** A request of a signed-in user. */
interface Own extends Exchange {
  readonly request: FastifyRequest<Form>;
  readonly signedIn: SignedIn;
  readonly account: Account;
}

/** `GET /account` and its forms. */
export function addAccount(app: HttpServer, deps: AccountDeps): void {
  const own = (path: string, work: (own: Own) => Promise<void>, options: { recent: boolean }): void => {
    app.post<Form>(path, async (request, reply) => {
      const signedIn = await requireUser(deps.context, { request, reply });
      if (signedIn === null) return;
      if (options.recent && !isRecent(deps.context, signedIn)) return confirmOwn(reply, path);
      const account = await deps.changes.find(signedIn.user.id);
      return account === null ? goTo(reply, '/sign-in') : work({ request, reply, signedIn, account });
    });
  };
  app.get<Query>('/account', async (request, reply) => {
    const signedIn = await requireUser(deps.context, { request, reply });
    if (signedIn === null) return;
    const account = await deps.changes.find(signedIn.user.id);
    if (account === null) return goTo(reply, '/sign-in');
    const fault = noticeOf(LINK_FAULTS, request.query.done);
    await show(
      deps,
      { request, reply, signedIn, account },
      {
        notice: noticeOf(DONE, request.query.done),
        errors: fault === undefined ? undefined : { linked: { form: fault } },
      },
    );
  });
  own('/account/email', (each) => changeEmail(deps, each), { recent: true });
  own('/account/password', (each) => changePassword(deps, each), { recent: true });
  own('/account/unlink', (each) => unlink(deps, each), { recent: true });
  own('/account/delete', (each) => remove(deps, each), { recent: true });
  own('/account/sessions/end', (each) => endSession(deps, each), { recent: false });
  own('/account/sessions/end-all', (each) => endAll(deps, each), { recent: false });
}

/** New passwords are not kept while their owner confirms who they are: that form is filled in again. */
function confirmOwn(reply: FastifyReply, path: string): Promise<void> {
  return path === '/account/password' ? goTo(reply, AGAIN_FOR_ACCOUNT) : confirmFirst(reply, path);
}

async function show(
  deps: AccountDeps,
  { request, reply, signedIn, account }: Exchange & Pick<Own, 'signedIn' | 'account'>,
  more: Pick<AccountModel, 'notice' | 'errors'>,
  status = 200,
): Promise<void> {
  const sessions = await deps.visitors.sessions.list(account);
  const page = accountPage(frameFor(deps.context, request, signedIn), {
    email: account.email,
    pendingEmail: await deps.changes.waitingEmail(account.id),
    hasPassword: account.passwordHash !== null,
    linked: account.identities.map((identity) => ({
      id: loginOf(identity),
      provider: identity.provider,
      label: identity.label,
      linkedAt: new Date(identity.linkedAt),
      removable: canDoWithout(account, identity),
    })),
    ways: deps.ways,
    sessions: sessions.map(({ id, agent, address, signedInAt }) => ({
      id,
      address,
      current: id === signedIn.sessionId,
      device: deviceOf(agent),
      signedInAt: new Date(signedInAt),
    })),
    ...more,
  });
  await sendPage({ request, reply }, page, status);
}

async function refuse(deps: AccountDeps, own: Own, errors: AccountModel['errors'] & object): Promise<void> {
  await show(deps, own, { errors }, 422);
}

async function changeEmail(deps: AccountDeps, own: Own): Promise<void> {
  if (!deps.ways.email) return refuse(deps, own, { email: { form: NO_EMAIL } });
  const email = textOf(own.request.body, 'email');
  const fault = await deps.changes.askForEmail(own.account, email, deps.visitors.originOf(own.request));
  if (fault !== undefined) return refuse(deps, own, { email: { fields: { email: fault } } });
  await goTo(own.reply, '/account?done=asked');
}

async function changePassword(deps: AccountDeps, own: Own): Promise<void> {
  const { request, reply, account } = own;
  const form = { current: textOf(request.body, 'current'), password: textOf(request.body, 'password') };
  const outcome = await deps.passwords.change(account, form, deps.visitors.originOf(request));
  if ('fault' in outcome)
    return refuse(deps, own, { password: { fields: { [outcome.field]: outcome.fault } } });
  await deps.visitors.signIn(own, outcome);
  await goTo(reply, '/account?done=password');
}

async function unlink(deps: AccountDeps, own: Own): Promise<void> {
  const { request, reply, account } = own;
  const login = textOf(request.body, 'id');
  const outcome = await deps.changes.unlink(account.id, login, deps.visitors.originOf(request));
  if (outcome !== 'removed')
    return refuse(deps, own, {
      linked: { form: outcome === 'last' ? LINK_FAULTS.last : 'This sign-in isn’t linked to this account.' },
    });
  const left = await deps.changes.find(account.id);
  if (left !== null) await deps.visitors.signIn(own, left);
  await goTo(reply, '/account?done=removed');
}

async function remove(deps: AccountDeps, own: Own): Promise<void> {
  const { request, reply, account } = own;
  if (textOf(request.body, 'confirm').trim().toLowerCase() !== 'delete')
    return refuse(deps, own, { delete: { fields: { confirm: 'Type “delete”.' } } });
  await deps.changes.remove(account, request.ip);
  deps.visitors.forget(reply);
  await goTo(reply, '/sign-in?notice=deleted');
}

async function endSession(deps: AccountDeps, { request, reply, account }: Own): Promise<void> {
  await deps.visitors.sessions.end(account.id, textOf(request.body, 'id'));
  await goTo(reply, '/account?done=ended');
}

async function endAll(deps: AccountDeps, { reply, account }: Own): Promise<void> {
  await deps.changes.signOutEverywhere(account.id);
  deps.visitors.forget(reply);
  await goTo(reply, '/sign-in?notice=bye');
}
