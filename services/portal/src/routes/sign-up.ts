import type { HttpServer } from '@hindsight/http/types.ts';
import type { FastifyReply } from 'fastify';
import type { Account } from '../domain/account.ts';
import { safeNext } from '../domain/next-path.ts';
import { signUpPage } from '../pages/sign-up.ts';
import { verifyPage } from '../pages/verify.ts';
import type { AccountRouteDeps } from './account-deps.ts';
import { NO_EMAIL } from '../pages/parts/ways-in.ts';
import { textOf, type Form, type Query } from './forms.ts';
import { goTo, showPage, type PageContext } from './pages.ts';
import { requireUser } from './signed-in.ts';

/** Signing up with email and password, and confirming addresses. */
export function addSignUp(app: HttpServer, deps: AccountRouteDeps): void {
  const { context, visitors, signUps, ways } = deps;
  app.get<Query>('/sign-up', async (request, reply) => {
    const signedIn = await context.sessions.current(request.headers);
    if (signedIn !== null) return goTo(reply, safeNext(request.query.next));
    const model = { ways, next: safeNext(request.query.next), email: '' };
    return showPage(context, reply, signUpPage, model);
  });
  app.post<Form>('/sign-up', async (request, reply) => {
    const next = safeNext(textOf(request.body, 'next'));
    const [email, password] = [textOf(request.body, 'email'), textOf(request.body, 'password')];
    const sender = visitors.sender(reply);
    const fields = ways.email ? await signUps.begin({ email, password, next }, sender) : undefined;
    if (ways.email && fields === undefined) {
      visitors.noteAddressee(reply, email);
      return goTo(reply, '/verify');
    }
    const errors = ways.email ? { fields } : { form: NO_EMAIL };
    await showPage(context, reply, signUpPage, { ways, next, email, errors });
  });
  app.get<Query>('/verify', ({ query }, reply) => {
    if (typeof query.token === 'string') return showLink(deps, reply, query.token);
    return showPage(context, reply, verifyPage, {
      state: 'sent',
      email: visitors.addresseeOf(reply.request),
    });
  });
  app.post<Form>('/verify', async (request, reply) => {
    const form = { token: textOf(request.body, 'token'), password: textOf(request.body, 'password') };
    await confirm(deps, reply, form);
  });
  app.post<Form>('/verify/again', async (request, reply) => {
    const email = textOf(request.body, 'email');
    const fields = await signUps.again(email, visitors.sender(reply));
    if (fields !== undefined)
      return showPage(context, reply, verifyPage, { state: 'sent', email, errors: { fields } });
    visitors.noteAddressee(reply, email);
    await goTo(reply, '/verify');
  });
}

/** Opening a link changes nothing: mail scanners open links too. */
async function showLink(deps: AccountRouteDeps, reply: FastifyReply, token: string): Promise<void> {
  const { context, visitors, signUps, changes } = deps;
  const waiting = await signUps.look(token, visitors.browserOf(reply.request));
  if (waiting !== null) return showPage(context, reply, verifyPage, { state: 'confirm', token, ...waiting });
  const change = await changes.lookAtEmail(token);
  if (change === null) return sendInvalid(context, reply);
  if ((await requireOwner(deps, reply, { token, ...change })) !== null)
    await showPage(context, reply, verifyPage, { state: 'confirm', email: change.email, token });
}

/** The signed-in user who asked for a change of address; null for any other, who is told to sign in. */
async function requireOwner(
  { context }: AccountRouteDeps,
  reply: FastifyReply,
  { token, userId }: { token: string; userId: string },
): Promise<Account | null> {
  const link = `/verify?token=${encodeURIComponent(token)}`;
  const signedIn = await requireUser(context, reply, link);
  if (signedIn === null) return null;
  if (signedIn.user.id === userId) return signedIn.user;
  await showPage(context, reply, verifyPage, { state: 'others' }, 403);
  return null;
}

async function confirm(
  deps: AccountRouteDeps,
  reply: FastifyReply,
  { token, password }: { token: string; password: string },
): Promise<void> {
  const { context, visitors, signUps, changes } = deps;
  const change = await changes.lookAtEmail(token);
  if (change !== null) return confirmChange(deps, reply, { token, ...change });
  const outcome = await signUps.confirm(token, { password, ...visitors.returningSender(reply.request) });
  if (outcome === 'invalid') return sendInvalid(context, reply);
  if (typeof outcome === 'string') {
    const fault = outcome === 'password-wrong' ? 'This is not the password you signed up with.' : undefined;
    const errors = { fields: { password: fault ?? 'Enter the password you signed up with.' } };
    const model = { state: 'confirm', email: null, token, password: true, errors } as const;
    return showPage(context, reply, verifyPage, model);
  }
  await visitors.signIn(reply, outcome.account);
  await goTo(reply, outcome.next);
}

async function confirmChange(
  deps: AccountRouteDeps,
  reply: FastifyReply,
  change: { token: string; userId: string },
): Promise<void> {
  const owner = await requireOwner(deps, reply, change);
  if (owner === null) return;
  const outcome = await deps.changes.confirmEmail(owner, change.token);
  if (outcome === 'done') return goTo(reply, '/account?done=email');
  await sendInvalid(deps.context, reply);
}

function sendInvalid(context: PageContext, reply: FastifyReply): Promise<void> {
  return showPage(context, reply, verifyPage, { state: 'invalid' }, 410);
}
