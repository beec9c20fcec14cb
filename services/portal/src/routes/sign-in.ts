import type { HttpServer } from '@hindsight/shared/http/types.ts';
import { safeNext } from '../domain/next-path.ts';
import { forgotPage } from '../pages/forgot.ts';
import { resetPage, type ResetModel } from '../pages/reset.ts';
import { signInPage, type SignInModel } from '../pages/sign-in.ts';
import { goTo, NO_MAIL, signIn, type AccountWeb } from './account-web.ts';
import { textOf, type Form, type Query } from './forms.ts';
import { noticeOf, type Notices } from './notices.ts';
import { frameFor, frameOf, sendPage, type Exchange } from './pages.ts';

/** By the `notice` of the address. */
const NOTICES: Notices = {
  reset: 'The password is changed. Sign in with it.',
  refused: 'You were not signed in there.',
  unknown: 'That took too long, or was begun in another browser. Please try again.',
  failed: 'The other side did not answer as it should. Please try again, or another way.',
  bye: 'You are signed out.',
  deleted: 'The account is deleted.',
};

/** Signing in and out by address and password. */
export function addSignIn(app: HttpServer, web: AccountWeb): void {
  app.get<Query>('/sign-in', async (request, reply) => {
    const { next, again, notice } = request.query;
    const signedIn = await web.context.sessions.current(request.headers);
    if (signedIn !== null && again !== '1') return goTo(reply, safeNext(next));
    const said = noticeOf(NOTICES, notice);
    await sendSignIn(
      web,
      { request, reply },
      { next: safeNext(next), email: '', again: signedIn !== null, ...(said ? { notice: said } : {}) },
    );
  });
  app.post<Form>('/sign-in', async (request, reply) => {
    const next = safeNext(textOf(request.body, 'next'));
    const email = textOf(request.body, 'email');
    const form = { email, password: textOf(request.body, 'password') };
    const account = await web.passwords.signIn(form, request.ip);
    if (account === null) {
      // The same for every reason.
      const errors = {
        form: 'Address and password do not belong together, or the address is not confirmed yet.',
      };
      return sendSignIn(web, { request, reply }, { next, email, errors });
    }
    await signIn(web, { request, reply }, account);
    await goTo(reply, next);
  });
  app.post('/sign-out', async (request, reply) => {
    reply.header('set-cookie', await web.keeper.close(request.headers));
    await goTo(reply, '/sign-in?notice=bye');
  });
}

async function sendSignIn(
  web: AccountWeb,
  { request, reply }: Exchange,
  model: Omit<SignInModel, 'frame' | 'ways'>,
): Promise<void> {
  const frame = await frameOf(web.context, request);
  const page = signInPage({ frame, ways: web.ways, ...model });
  await sendPage(reply, page, model.errors === undefined ? 200 : 422);
}

/** Choosing a new password by mail. */
export function addRecovery(app: HttpServer, web: AccountWeb): void {
  app.get('/forgot', async (request, reply) => {
    const frame = await frameOf(web.context, request);
    await sendPage(reply, forgotPage({ frame, email: '', sent: false }));
  });
  app.post<Form>('/forgot', async (request, reply) => {
    const email = textOf(request.body, 'email');
    const frame = frameFor(web.context, request, null);
    if (!web.mails)
      return sendPage(reply, forgotPage({ frame, email, sent: false, errors: { form: NO_MAIL } }), 422);
    const outcome = await web.passwords.forgot(email, { address: request.ip, origin: web.originOf(request) });
    if (outcome === 'sent') return sendPage(reply, forgotPage({ frame, email: '', sent: true }));
    const errors = { fields: { email: 'This is not an e-mail address.' } };
    return sendPage(reply, forgotPage({ frame, email, sent: false, errors }), 422);
  });
  app.get<Query>('/reset', async (request, reply) => {
    const token = typeof request.query.token === 'string' ? request.query.token : '';
    const works = await web.passwords.canReset(token);
    await sendReset(web, { request, reply }, { state: works ? 'form' : 'invalid', token });
  });
  app.post<Form>('/reset', async (request, reply) => {
    const token = textOf(request.body, 'token');
    const form = { token, password: textOf(request.body, 'password') };
    const outcome = await web.passwords.reset(form, web.originOf(request));
    if (outcome === 'done') return goTo(reply, '/sign-in?notice=reset');
    if (outcome === 'invalid') return sendReset(web, { request, reply }, { state: 'invalid', token });
    const errors = { fields: { password: outcome.fault } };
    return sendReset(web, { request, reply }, { state: 'form', token, errors });
  });
}

async function sendReset(
  web: AccountWeb,
  { request, reply }: Exchange,
  model: Pick<ResetModel, 'state' | 'token' | 'errors'>,
): Promise<void> {
  const frame = await frameOf(web.context, request);
  const page = resetPage({ frame, ...model });
  const status = model.state === 'invalid' ? 410 : model.errors === undefined ? 200 : 422;
  await sendPage(reply, page, status);
}
