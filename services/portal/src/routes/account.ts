import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpServer } from '@hindsight/shared/http/types.ts';
import { canDoWithout, loginOf, type Account } from '../domain/account.ts';
import { deviceOf } from '../domain/device.ts';
import { accountPage, type AccountModel } from '../pages/account.ts';
import type { SignedIn } from '../ports.ts';
import { AGAIN_FOR_ACCOUNT, goTo, NO_MAIL, signIn, type AccountWeb } from './account-web.ts';
import { textOf, type Form, type Query } from './forms.ts';
import { noticeOf, type Notices } from './notices.ts';
import { frameFor, sendPage } from './pages.ts';
import { isRecent, requireUser } from './signed-in.ts';

/** By the `done` of the address, as are those after it. */
const DONE: Notices = {
  email: 'The address is changed.',
  asked: 'A link to confirm the address is on its way to it.',
  password: 'The password is changed, and everybody else is signed out.',
  linked: 'You can sign in by it from now on.',
  removed: 'It does not open this account any more.',
  ended: 'It is signed out.',
};

const LINK_FAULTS: Notices = {
  others: 'It belongs to another account. Remove it there, or delete that account, first.',
  'too-many': 'An account can have no more ways in than this one has.',
  refused: 'You were not signed in there.',
  failed: 'The other side did not answer as it should. Please try again.',
  unknown: 'That took too long, or was begun in another browser. Please try again.',
  last: 'It is the last way into this account.',
};

/** An exchange with somebody who is signed in. */
interface Own {
  readonly request: FastifyRequest<Form>;
  readonly reply: FastifyReply;
  readonly signedIn: SignedIn;
  readonly account: Account;
}

/** `GET /account` and its forms. */
export function addAccount(app: HttpServer, web: AccountWeb): void {
  const own = (path: string, work: (own: Own) => Promise<void>, options: { recent: boolean }): void => {
    app.post<Form>(path, async (request, reply) => {
      const signedIn = await requireUser(web.context, { request, reply });
      if (signedIn === null) return;
      if (options.recent && !isRecent(web, signedIn)) return goTo(reply, AGAIN_FOR_ACCOUNT);
      const account = await web.accounts.find(signedIn.user.id);
      return account === null ? goTo(reply, '/sign-in') : work({ request, reply, signedIn, account });
    });
  };
  app.get<Query>('/account', (request, reply) => showAccount(web, request, reply));
  own('/account/email', (each) => changeEmail(web, each), { recent: true });
  own('/account/password', (each) => changePassword(web, each), { recent: true });
  own('/account/unlink', (each) => unlink(web, each), { recent: true });
  own('/account/delete', (each) => remove(web, each), { recent: true });
  own('/account/sessions/end', (each) => endSession(web, each), { recent: false });
  own('/account/sessions/end-all', (each) => endAll(web, each), { recent: false });
}

async function showAccount(
  web: AccountWeb,
  request: FastifyRequest<Query>,
  reply: FastifyReply,
): Promise<void> {
  const signedIn = await requireUser(web.context, { request, reply });
  if (signedIn === null) return;
  const account = await web.accounts.find(signedIn.user.id);
  if (account === null) return goTo(reply, '/sign-in');
  const notice = noticeOf(DONE, request.query.done);
  const fault = noticeOf(LINK_FAULTS, request.query.done);
  const page = await render(
    web,
    { request, signedIn, account },
    {
      ...(notice === undefined ? {} : { notice }),
      ...(fault === undefined ? {} : { errors: { linked: { form: fault } } }),
    },
  );
  await sendPage(reply, page);
}

async function render(
  web: AccountWeb,
  { request, signedIn, account }: { request: FastifyRequest; signedIn: SignedIn; account: Account },
  more: Pick<AccountModel, 'notice' | 'errors'>,
): Promise<string> {
  const sessions = await web.keeper.list(account);
  return accountPage({
    frame: frameFor(web.context, request, signedIn),
    email: account.email,
    pendingEmail: await web.changes.waitingEmail(account.id),
    hasPassword: account.passwordHash !== null,
    linked: account.identities.map((identity) => ({
      id: loginOf(identity),
      provider: identity.provider,
      label: identity.label,
      linkedAt: new Date(identity.linkedAt),
      removable: canDoWithout(account, identity),
    })),
    ways: web.ways,
    sessions: sessions.map(({ id, agent, address, signedInAt }) => ({
      ...{ id, address, current: id === signedIn.sessionId, device: deviceOf(agent) },
      signedInAt: new Date(signedInAt),
    })),
    ...more,
  });
}

async function refuse(web: AccountWeb, own: Own, errors: AccountModel['errors'] & object): Promise<void> {
  await sendPage(own.reply, await render(web, own, { errors }), 422);
}

async function changeEmail(web: AccountWeb, own: Own): Promise<void> {
  if (!web.mails) return refuse(web, own, { email: { form: NO_MAIL } });
  const email = textOf(own.request.body, 'email');
  const fault = await web.changes.askForEmail(own.account, email, web.originOf(own.request));
  if (fault !== undefined) return refuse(web, own, { email: { fields: { email: fault } } });
  await goTo(own.reply, '/account?done=asked');
}

async function changePassword(web: AccountWeb, own: Own): Promise<void> {
  const { request, reply, account } = own;
  const form = { current: textOf(request.body, 'current'), password: textOf(request.body, 'password') };
  const outcome = await web.passwords.change(account, form, web.originOf(request));
  if ('fault' in outcome)
    return refuse(web, own, { password: { fields: { [outcome.field]: outcome.fault } } });
  await signIn(web, own, outcome);
  await goTo(reply, '/account?done=password');
}

async function unlink(web: AccountWeb, own: Own): Promise<void> {
  const { request, reply, account } = own;
  const login = textOf(request.body, 'id');
  const outcome = await web.changes.unlink(account.id, login, web.originOf(request));
  if (outcome !== 'removed')
    return refuse(web, own, {
      linked: { form: outcome === 'last' ? LINK_FAULTS.last : 'It is not linked to this account.' },
    });
  const left = await web.accounts.find(account.id);
  if (left !== null) await signIn(web, own, left);
  await goTo(reply, '/account?done=removed');
}

async function remove(web: AccountWeb, own: Own): Promise<void> {
  const { request, reply, account } = own;
  if (textOf(request.body, 'confirm').trim().toLowerCase() !== 'delete')
    return refuse(web, own, { delete: { fields: { confirm: 'Write “delete”.' } } });
  await web.changes.remove(account, request.ip);
  reply.header('set-cookie', web.cookies.clearSession());
  await goTo(reply, '/sign-in?notice=deleted');
}

async function endSession(web: AccountWeb, { request, reply, account }: Own): Promise<void> {
  await web.keeper.end(account.id, textOf(request.body, 'id'));
  await goTo(reply, '/account?done=ended');
}

async function endAll(web: AccountWeb, { reply, account }: Own): Promise<void> {
  await web.changes.signOutEverywhere(account.id);
  reply.header('set-cookie', web.cookies.clearSession());
  await goTo(reply, '/sign-in?notice=bye');
}
