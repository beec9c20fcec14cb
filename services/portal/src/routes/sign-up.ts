import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpServer } from '@hindsight/shared/http/types.ts';
import { safeNext } from '../domain/next-path.ts';
import { signUpPage, type SignUpModel } from '../pages/sign-up.ts';
import { verifyPage, type VerifyModel } from '../pages/verify.ts';
import { askerOf, browserOf, goTo, NO_MAIL, signIn, type AccountWeb } from './account-web.ts';
import { textOf, type Form, type Query } from './forms.ts';
import { frameOf, sendPage, type Exchange } from './pages.ts';
import { requireUser } from './signed-in.ts';

/** Signing up by address and password, and confirming addresses. */
export function addSignUp(app: HttpServer, web: AccountWeb): void {
  app.get<Query>('/sign-up', async (request, reply) => {
    await sendSignUp(web, { request, reply }, { next: safeNext(request.query.next), email: '' });
  });
  app.post<Form>('/sign-up', async (request, reply) => {
    const next = safeNext(textOf(request.body, 'next'));
    const [email, password] = [textOf(request.body, 'email'), textOf(request.body, 'password')];
    const asker = askerOf(web, request, reply);
    const fields = web.mails ? await web.signUps.begin({ email, password, next }, asker) : undefined;
    if (web.mails && fields === undefined) return goTo(reply, '/verify');
    const errors = web.mails ? { fields: fields ?? {} } : { form: NO_MAIL };
    await sendSignUp(web, { request, reply }, { next, email, errors });
  });
  app.get<Query>('/verify', (request, reply) => showLink(web, request, reply));
  app.post<Form>('/verify', (request, reply) => confirm(web, request, reply));
  app.post<Form>('/verify/again', async (request, reply) => {
    await web.signUps.again(textOf(request.body, 'email'), askerOf(web, request, reply));
    await goTo(reply, '/verify');
  });
}

async function sendSignUp(
  web: AccountWeb,
  { request, reply }: Exchange,
  model: Pick<SignUpModel, 'next' | 'email' | 'errors'>,
): Promise<void> {
  const frame = await frameOf(web.context, request);
  const page = signUpPage({ frame, ways: web.ways, ...model });
  await sendPage(reply, page, model.errors === undefined ? 200 : 422);
}

async function sendVerify(
  web: AccountWeb,
  { request, reply }: Exchange,
  model: Omit<VerifyModel, 'frame'>,
  status = 200,
): Promise<void> {
  await sendPage(reply, verifyPage({ frame: await frameOf(web.context, request), ...model }), status);
}

/** Opening a link changes nothing: scanners of mail open them too. */
async function showLink(web: AccountWeb, request: FastifyRequest<Query>, reply: FastifyReply): Promise<void> {
  const { token } = request.query;
  if (typeof token !== 'string') return sendVerify(web, { request, reply }, { state: 'sent', email: null });
  const waiting = await web.signUps.look(token, browserOf(web, request));
  if (waiting !== null) {
    const { email, password } = waiting;
    return sendVerify(web, { request, reply }, { state: 'confirm', email, token, password });
  }
  const change = await web.changes.lookAtEmail(token);
  if (change === null) return sendVerify(web, { request, reply }, { state: 'invalid', email: null }, 410);
  const signedIn = await requireUser(web.context, { request, reply });
  if (signedIn === null) return;
  if (signedIn.user.id !== change.userId)
    return sendVerify(web, { request, reply }, { state: 'invalid', email: null }, 410);
  await sendVerify(web, { request, reply }, { state: 'confirm', email: change.email, token });
}

async function confirm(web: AccountWeb, request: FastifyRequest<Form>, reply: FastifyReply): Promise<void> {
  const token = textOf(request.body, 'token');
  const change = await web.changes.lookAtEmail(token);
  if (change !== null) return confirmChange(web, { request, reply }, token);
  const form = { password: textOf(request.body, 'password'), browser: browserOf(web, request) };
  const outcome = await web.signUps.confirm(token, form);
  if (outcome === 'invalid')
    return sendVerify(web, { request, reply }, { state: 'invalid', email: null }, 410);
  if (typeof outcome === 'string') {
    const fault = outcome === 'password-wrong' ? 'This is not the password of the sign-up.' : undefined;
    const errors = { fields: { password: fault ?? 'Write the password of the sign-up.' } };
    const model = { state: 'confirm', email: null, token, password: true, errors } as const;
    return sendVerify(web, { request, reply }, model, 422);
  }
  await signIn(web, { request, reply }, outcome.account);
  await goTo(reply, outcome.next);
}

async function confirmChange(web: AccountWeb, { request, reply }: Exchange, token: string): Promise<void> {
  const signedIn = await requireUser(web.context, { request, reply });
  if (signedIn === null) return;
  const outcome = await web.changes.confirmEmail(signedIn.user.id, token, web.originOf(request));
  if (outcome === 'done') return goTo(reply, '/account?done=email');
  await sendVerify(web, { request, reply }, { state: 'invalid', email: null }, 410);
}
