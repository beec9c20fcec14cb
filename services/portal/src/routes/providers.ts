import type { FastifyRequest } from 'fastify';
import { forbidden, notFound } from '@hindsight/kernel/errors.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import type { ProviderName, Return } from '../accounts/provider-sign-in.ts';
import { safeNext } from '../domain/next-path.ts';
import { ProviderFailed } from '../ports.ts';
import { AGAIN_FOR_ACCOUNT, type AccountRouteDeps } from './account-deps.ts';
import type { Query } from './forms.ts';
import { goTo, type Exchange } from './pages.ts';
import { isRecent, requireUser } from './signed-in.ts';

const NAMES: readonly ProviderName[] = ['github', 'google'];

/** Signing in at GitHub and Google, and linking them. Unconfigured providers have no routes. */
export function addProviders(app: HttpServer, deps: AccountRouteDeps): void {
  for (const name of NAMES.filter((each) => deps.ways[each])) {
    app.get<Query>(`/sign-in/${name}`, async (request, reply) => {
      await leave(deps, { request, reply, name }, { next: safeNext(request.query.next), linkTo: null });
    });
    app.get(`/account/link/${name}`, async (request, reply) => {
      refuseForeignLinks(request);
      const signedIn = await requireUser(deps.context, { request, reply });
      if (signedIn === null) return;
      if (!isRecent(deps.context, signedIn)) return goTo(reply, AGAIN_FOR_ACCOUNT);
      await leave(deps, { request, reply, name }, { next: '/account', linkTo: signedIn.user.id });
    });
    app.get(`/sign-in/${name}/callback`, (request, reply) => comeBack(deps, { request, reply, name }));
  }
}

interface WithProvider extends Exchange {
  readonly name: ProviderName;
}

/** Linking must start on a page of the portal: another site could trick users into linking a foreign identity. */
function refuseForeignLinks(request: FastifyRequest): void {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw forbidden('foreign_origin', 'This must be started from a page of this portal.');
}

async function leave(
  deps: AccountRouteDeps,
  { request, reply, name }: WithProvider,
  purpose: { next: string; linkTo: string | null },
): Promise<void> {
  try {
    const url = await deps.providers.begin(name, purpose, deps.visitors.sender(request, reply));
    if (url === null) throw notFound('not_found', 'This way to sign in is not available.');
    await reply.header('cache-control', 'no-store').redirect(url, 303);
  } catch (error) {
    await fail({ request, reply }, error, purpose.linkTo !== null);
  }
}

async function comeBack(deps: AccountRouteDeps, { request, reply, name }: WithProvider): Promise<void> {
  const signedIn = await deps.context.sessions.current(request.headers);
  const query = request.url.split('?').slice(1).join('?');
  try {
    const outcome = await deps.providers.finish(name, query, {
      ...deps.visitors.returningSender(request),
      signedInAs: signedIn?.user.id ?? null,
    });
    await respond(deps, { request, reply }, outcome, signedIn !== null);
  } catch (error) {
    await fail({ request, reply }, error, signedIn !== null);
  }
}

async function respond(
  deps: AccountRouteDeps,
  { request, reply }: Exchange,
  outcome: Return,
  signedIn: boolean,
): Promise<void> {
  switch (outcome.kind) {
    case 'signed-in':
      await deps.visitors.signIn({ request, reply }, outcome.account);
      return goTo(reply, outcome.next);
    case 'linked':
      return goTo(reply, `/account?done=${outcome.outcome}`);
    case 'refused':
      return goTo(reply, signedIn ? '/account?done=refused' : '/sign-in?notice=refused');
    case 'unknown':
      return goTo(reply, signedIn ? '/account?done=unknown' : '/sign-in?notice=unknown');
  }
}

async function fail({ request, reply }: Exchange, error: unknown, signedIn: boolean): Promise<void> {
  if (!(error instanceof ProviderFailed)) throw error;
  request.log.warn({ reason: error.message }, 'signing in elsewhere failed');
  await goTo(reply, signedIn ? '/account?done=failed' : '/sign-in?notice=failed');
}
