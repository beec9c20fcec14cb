import type { HttpServer } from '@hindsight/http/types.ts';
import { safeNext } from '../domain/next-path.ts';
import { signUpPage } from '../pages/sign-up.ts';
import { verifyPage } from '../pages/verify.ts';
import type { AccountRouteDeps } from './account-deps.ts';
import { NO_EMAIL } from '../pages/parts/ways-in.ts';
import { textOf, type Form, type Query } from './forms.ts';
import { goTo, showPage, type Exchange } from './pages.ts';
import { requireUser } from './signed-in.ts';

/** Signing up with email and password, and confirming addresses. */
export function addSignUp(app: HttpServer, deps: AccountRouteDeps): void {
  const { context, visitors, signUps, ways } = deps;
  app.get<Query>('/sign-up', async (request, reply) => {
    const signedIn = await context.sessions.current(request.headers);
    if (signedIn !== null) return goTo(reply, safeNext(request.query.next));
    const model = { ways, next: safeNext(request.query.next), email: '' };
    return showPage(context, { request, reply }, signUpPage, model);
  });
  app.post<Form>('/sign-up', async (request, reply) => {
    const next = safeNext(textOf(request.body, 'next'));
    const [email, password] = [textOf(request.body, 'email'), textOf(request.body, 'password')];
    const sender = visitors.sender(request, reply);
    const fields = ways.email ? await signUps.begin({ email, password, next }, sender) : undefined;
    if (ways.email && fields === undefined) {
      visitors.noteAddressee(reply, email);
      return goTo(reply, '/verify');
    }
    const errors = ways.email ? { fields } : { form: NO_EMAIL };
    await showPage(context, { request, reply }, signUpPage, { ways, next, email, errors });
  });
  app.get<Query>('/verify', ({ query }, reply) => {
    const exchange = { request: reply.request, reply };
    if (typeof query.token === 'string') return showLink(deps, exchange, query.token);
    return showPage(context, exchange, verifyPage, {
      state: 'sent',
      email: visitors.addresseeOf(reply.request),
    });
  });
  app.post<Form>('/verify', async (request, reply) => {
    const form = { token: textOf(request.body, 'token'), password: textOf(request.body, 'password') };
    await confirm(deps, { request, reply }, form);
  });
  app.post<Form>('/verify/again', async (request, reply) => {
    const email = textOf(request.body, 'email');
    await signUps.again(email, visitors.sender(request, reply));
    visitors.noteAddressee(reply, email);
    await goTo(reply, '/verify');
  });
}

/** Opening a link changes nothing: mail scanners open links too. */
async function showLink(deps: AccountRouteDeps, exchange: Exchange, token: string): Promise<void> {
  const { context, visitors, signUps, changes } = deps;
  const waiting = await signUps.look(token, visitors.browserOf(exchange.request));
  if (waiting !== null)
    return showPage(context, exchange, verifyPage, { state: 'confirm', token, ...waiting });
  const change = await changes.lookAtEmail(token);
  if (change === null) return sendInvalid(deps, exchange);
  const signedIn = await requireUser(context, exchange);
  if (signedIn === null) return;
  if (signedIn.user.id !== change.userId) return sendInvalid(deps, exchange);
  await showPage(context, exchange, verifyPage, { state: 'confirm', email: change.email, token });
}

async function confirm(
  deps: AccountRouteDeps,
  exchange: Exchange,
  { token, password }: { token: string; password: string },
): Promise<void> {
  const { context, visitors, signUps, changes } = deps;
  if ((await changes.lookAtEmail(token)) !== null) return confirmChange(deps, exchange, token);
  const outcome = await signUps.confirm(token, { password, ...visitors.returningSender(exchange.request) });
  if (outcome === 'invalid') return sendInvalid(deps, exchange);
  if (typeof outcome === 'string') {
    const fault = outcome === 'password-wrong' ? 'This is not the password you signed up with.' : undefined;
    const errors = { fields: { password: fault ?? 'Enter the password you signed up with.' } };
    const model = { state: 'confirm', email: null, token, password: true, errors } as const;
    return showPage(context, exchange, verifyPage, model);
  }
  await visitors.signIn(exchange, outcome.account);
  await goTo(exchange.reply, outcome.next);
}

async function confirmChange(deps: AccountRouteDeps, exchange: Exchange, token: string): Promise<void> {
  const signedIn = await requireUser(deps.context, exchange);
  if (signedIn === null) return;
  const origin = deps.visitors.originOf(exchange.request);
  const outcome = await deps.changes.confirmEmail(signedIn.user.id, token, origin);
  if (outcome === 'done') return goTo(exchange.reply, '/account?done=email');
  await sendInvalid(deps, exchange);
}

async function sendInvalid({ context, visitors }: AccountRouteDeps, exchange: Exchange): Promise<void> {
  const email = visitors.addresseeOf(exchange.request);
  await showPage(context, exchange, verifyPage, { state: 'invalid', email }, 410);
}
