import type { FastifyReply, FastifyRequest } from 'fastify';
import { forbidden, notFound } from '@hindsight/kernel/errors.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import type { ProviderName, ProviderSignIn } from '../accounts/provider-sign-in.ts';
import { safeNext } from '../domain/next-path.ts';
import { ProviderFailed } from '../ports.ts';
import { AGAIN_FOR_ACCOUNT, SWITCHED, type AccountRouteDeps } from './account-deps.ts';
import type { Query } from './forms.ts';
import { goTo } from './pages.ts';
import { isRecent, requireUser } from './signed-in.ts';

const NAMES: readonly ProviderName[] = ['github', 'google'];

/** Signing in at GitHub and Google, and linking them. Unconfigured providers have no routes. */
export function addProviders(app: HttpServer, deps: AccountRouteDeps): void {
  for (const name of NAMES.filter((each) => deps.ways[each])) {
    app.get<Query>(`/sign-in/${name}`, async (request, reply) => {
      const { next, account } = request.query;
      const confirms = typeof account === 'string' ? account : null;
      await leave(deps, reply, name, { next: safeNext(next), linkTo: null, confirms });
    });
    app.get<Query>(`/account/link/${name}`, async (request, reply) => {
      refuseForeignLinks(request);
      const signedIn = await requireUser(deps.context, reply);
      if (signedIn === null) return;
      // Other sites cannot name it: through a `next` of the sign-in, they could begin a link here.
      if (request.query.account !== signedIn.user.id) return goTo(reply, SWITCHED);
      if (!isRecent(deps.context, signedIn)) return goTo(reply, AGAIN_FOR_ACCOUNT);
      await leave(deps, reply, name, { next: '/account', linkTo: signedIn.user.id, confirms: null });
    });
    app.get(`/sign-in/${name}/callback`, (_request, reply) => comeBack(deps, reply, name));
  }
}

/** Linking must start on a page of the portal: another site could trick users into linking a foreign identity. */
function refuseForeignLinks(request: FastifyRequest): void {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw forbidden('foreign_origin', 'This must be started from a page of this portal.');
}

async function leave(
  deps: AccountRouteDeps,
  reply: FastifyReply,
  name: ProviderName,
  purpose: Parameters<ProviderSignIn['begin']>[1],
): Promise<void> {
  try {
    const url = await deps.providers.begin(name, purpose, deps.visitors.sender(reply));
    if (url === null) throw notFound('not_found', 'This way to sign in is not available.');
    await reply.header('cache-control', 'no-store').redirect(url, 303);
  } catch (error) {
    await fail(deps, reply, error);
  }
}

async function comeBack(deps: AccountRouteDeps, reply: FastifyReply, name: ProviderName): Promise<void> {
  const { request } = reply;
  const signedIn = async () => (await deps.context.sessions.current(request.headers))?.user ?? null;
  const query = request.url.split('?').slice(1).join('?');
  try {
    const outcome = await deps.providers.finish(name, query, {
      ...deps.visitors.returningSender(request),
      signedIn,
    });
    if (outcome.kind === 'signed-in') {
      await deps.visitors.signIn(reply, outcome.account);
      return await goTo(reply, outcome.next);
    }
    if (outcome.kind === 'linked') return await goTo(reply, `/account?done=${outcome.outcome}`);
    await goTo(reply, ((await signedIn()) === null ? '/sign-in?notice=' : '/account?done=') + outcome.kind);
  } catch (error) {
    await fail(deps, reply, error);
  }
}

async function fail({ context }: AccountRouteDeps, reply: FastifyReply, error: unknown): Promise<void> {
  if (!(error instanceof ProviderFailed)) throw error;
  reply.log.warn({ reason: error.message }, 'signing in elsewhere failed');
  const signedIn = await context.sessions.current(reply.request.headers);
  await goTo(reply, signedIn ? '/account?done=failed' : '/sign-in?notice=failed');
}
