import type { HttpServer } from '@hindsight/http/types.ts';
import type { FastifyReply } from 'fastify';
import { safeNext } from '../domain/next-path.ts';
import { confirmPage, type ConfirmModel } from '../pages/confirm.ts';
import type { SignedIn } from '../ports.ts';
import type { AccountRouteDeps } from './account-deps.ts';
import { textOf, type Form, type Query } from './forms.ts';
import { goTo, showPage } from './pages.ts';
import { requireUser } from './signed-in.ts';

/** Fields of the page itself; all others belong to the form that waits. */
const OWN = new Set(['your-email', 'your-password']);

/** By the path that follows. */
const PURPOSES: readonly (readonly [path: RegExp, purpose: string])[] = [
  [/\/(?:key|reveal)$/, 'see your API key'],
  [/\/rotate$/, 'rotate your API key'],
  [/^\/dashboard\/.*key/, 'change your API keys'],
  [/^\/account\/delete$/, 'delete your account'],
  [/\/delete$/, 'delete this project'],
  [/^\/account\/email$/, 'change your email'],
  [/^\/account\/password$/, 'change your password'],
  [/^\/account\/(?:un)?link/, 'change how you sign in'],
  [/^\/account$/, 'change your account'],
];

/**
 * `POST /sign-in/again`: a form that needs a recent sign-in comes here by redirect, and continues by itself once its
 * sender has confirmed who they are.
 */
export function addSignInAgain(app: HttpServer, deps: AccountRouteDeps): void {
  app.post<Form & Query>('/sign-in/again', async (request, reply) => {
    const signedIn = await requireUser(deps.context, reply);
    if (signedIn === null) return;
    const form = waitingForm(request.query.then, request.body);
    const next = form === null ? safeNext(request.query.next) : pageOf(form.then);
    const waiting = { form, next };
    const password = textOf(request.body, 'your-password');
    if (password === '') return showConfirm(deps, reply, signedIn, waiting);
    const { email } = signedIn.user;
    const login = { email: email ?? '', password };
    const account = await deps.passwords.signIn(login, deps.visitors.signingIn(request));
    if (account === null) {
      const errors = { fields: { 'your-password': 'Wrong password.' } };
      return showConfirm(deps, reply, signedIn, { ...waiting, errors });
    }
    await deps.visitors.signIn(reply, account);
    if (form === null) return goTo(reply, next);
    await reply.header('cache-control', 'no-store').redirect(form.then, 307);
  });
}

export async function showConfirm(
  { context, ways }: AccountRouteDeps,
  reply: FastifyReply,
  { user }: SignedIn,
  waiting: Pick<ConfirmModel, 'form' | 'next' | 'errors'>,
): Promise<void> {
  const path = waiting.form?.then ?? waiting.next;
  const purpose = PURPOSES.find(([pattern]) => pattern.test(path))?.[1] ?? 'change sensitive settings';
  await showPage(context, reply, confirmPage, { purpose, account: user, ways, ...waiting });
}

/** A form of the portal that waits; null if the path is none of theirs. */
function waitingForm(path: unknown, body: Form['Body']): ConfirmModel['form'] {
  const then = safeNext(path);
  if (!/^\/(?:dashboard|account)\//.test(then)) return null;
  const fields = Object.keys(body ?? {}).flatMap((name) =>
    OWN.has(name) ? [] : [[name, textOf(body, name)] as const],
  );
  return { then, fields };
}

function pageOf(path: string): string {
  return /^\/dashboard\/projects\/[^/?]+/.exec(path)?.[0] ?? '/account';
}
