import { ApiError, badRequest } from '@hindsight/kernel/errors.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import type { Refusal } from '../accounts/wallet-sign-in.ts';
import { safeNext } from '../domain/next-path.ts';
import { AGAIN_FOR_ACCOUNT, SWITCHED, type AccountRouteDeps } from './account-deps.ts';
import { textOf, type Form } from './forms.ts';
import { isOfAnother, isRecent } from './signed-in.ts';
import type { FastifyRequest } from 'fastify';

/** Asked by public/wallet.js, in JSON: signing in with a wallet, and linking one. */
export function addWallets(app: HttpServer, { context, visitors, wallets }: AccountRouteDeps): void {
  app.post<Form>('/sign-in/wallet/message', async (request, reply) => {
    const message = await wallets.message(textOf(request.body, 'address'), visitors.sender(reply));
    if (message === null) throw badRequest('address: expected 0x and 40 hexadecimal digits');
    return reply.header('cache-control', 'no-store').send({ message });
  });
  app.post<Form>('/sign-in/wallet', async (request, reply) => {
    const before = await context.sessions.current(request.headers);
    const outcome = await wallets.signIn(signedOf(request), {
      ...visitors.returningSender(request),
      signedInAs: before?.user.id ?? null,
    });
    if ('refused' in outcome) throw refusal(outcome);
    await visitors.signIn(reply, outcome);
    const next = safeNext(textOf(request.body, 'next'));
    // A form that waits for it continues as the same user only.
    return reply.header('cache-control', 'no-store').send({ next, same: before?.user.id === outcome.id });
  });
  app.post<Form>('/account/link/wallet', async (request, reply) => {
    const signedIn = await context.sessions.current(request.headers);
    reply.header('cache-control', 'no-store');
    if (signedIn !== null && isOfAnother(signedIn, request.body?.account))
      return reply.send({ next: SWITCHED });
    if (signedIn === null || !isRecent(context, signedIn)) return reply.send({ next: AGAIN_FOR_ACCOUNT });
    const outcome = await wallets.link(
      signedIn.user.id,
      signedOf(request),
      visitors.returningSender(request),
    );
    if (typeof outcome === 'object') throw refusal(outcome);
    return reply.send({ next: `/account?done=${outcome}` });
  });
}

function signedOf({ body }: FastifyRequest<Form>): { message: string; signature: string } {
  return { message: textOf(body, 'message'), signature: textOf(body, 'signature') };
}

function refusal({ refused, later }: Refusal): ApiError {
  return later
    ? new ApiError('node_unavailable', refused, { headers: { 'retry-after': '10' } })
    : new ApiError('wallet_signature_rejected', refused);
}
