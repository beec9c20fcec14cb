import { ApiError, badRequest } from '@hindsight/kernel/errors.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import type { Refusal } from '../accounts/wallet-sign-in.ts';
import { safeNext } from '../domain/next-path.ts';
import { AGAIN_FOR_ACCOUNT, SWITCHED, type AccountRouteDeps } from './account-deps.ts';
import { textOf, type Form } from './forms.ts';
import { isOfAnother, isRecent } from './signed-in.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SignedIn } from '../ports.ts';

/** Asked by public/wallet.js, in JSON: signing in with a wallet, and linking one. */
export function addWallets(app: HttpServer, { context, visitors, wallets }: AccountRouteDeps): void {
  const sendMessage = async (reply: FastifyReply, body: Form['Body']): Promise<void> => {
    const message = await wallets.message(textOf(body, 'address'), visitors.sender(reply));
    if (message === null) throw badRequest('address: expected 0x and 40 hexadecimal digits');
    await reply.header('cache-control', 'no-store').send({ message });
  };
  /** The page that comes before linking; null if the wallet can be linked now. */
  const pageBefore = (signedIn: SignedIn | null, body: Form['Body']): string | null => {
    if (signedIn !== null && isOfAnother(signedIn, body?.account)) return SWITCHED;
    return signedIn === null || !isRecent(context, signedIn) ? AGAIN_FOR_ACCOUNT : null;
  };
  app.post<Form>('/sign-in/wallet/message', ({ body }, reply) => sendMessage(reply, body));
  // Asked before the wallet is: a signature that cannot be used must not be asked for.
  app.post<Form>('/account/link/wallet/message', async ({ headers, body }, reply) => {
    const next = pageBefore(await context.sessions.current(headers), body);
    if (next === null) return sendMessage(reply, body);
    return reply.header('cache-control', 'no-store').send({ next });
  });
  app.post<Form>('/sign-in/wallet', async (request, reply) => {
    const signedIn = await context.sessions.current(request.headers);
    // A session that has ended leaves its user to be confirmed: another would enter, or a new account.
    const confirms = signedIn?.user.id ?? (textOf(request.body, 'account') || null);
    const outcome = await wallets.signIn(signedOf(request), {
      ...visitors.returningSender(request),
      confirms,
    });
    if ('refused' in outcome) throw refusal(outcome);
    await visitors.signIn(reply, outcome);
    const next = safeNext(textOf(request.body, 'next'));
    // A form that waits for it continues as the same user only.
    return reply.header('cache-control', 'no-store').send({ next, same: confirms === outcome.id });
  });
  app.post<Form>('/account/link/wallet', async (request, reply) => {
    const signedIn = await context.sessions.current(request.headers);
    reply.header('cache-control', 'no-store');
    const before = pageBefore(signedIn, request.body);
    if (signedIn === null || before !== null) return reply.send({ next: before });
    const outcome = await wallets.link(signedIn.user.id, signedOf(request), {
      ...visitors.returningSender(request),
      signedIn: async () => (await context.sessions.current(request.headers))?.user ?? null,
    });
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
