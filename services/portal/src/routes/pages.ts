import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Frame } from '../pages/frame.ts';
import { readTheme } from '../pages/frame.ts';
import type { Sessions, SignedIn, SignedInUser } from '../ports.ts';

/** What every page of the portal needs to know. */
export interface PageContext {
  readonly sessions: Sessions;
  /** Mails lie in the development outbox. */
  readonly outbox: boolean;
}

/** A request with the reply to it. */
export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** What stands around a page's content, for whoever asks. */
export async function frameOf({ sessions, outbox }: PageContext, request: FastifyRequest): Promise<Frame> {
  const signedIn = await sessions.current(request.headers);
  return frameFor({ outbox }, request, signedIn);
}

/** The same where it is known who asks. */
export function frameFor(
  { outbox }: Pick<PageContext, 'outbox'>,
  request: FastifyRequest,
  signedIn: SignedIn | null,
): Frame {
  return {
    user: signedIn && { label: labelOf(signedIn.user) },
    theme: readTheme(request.headers.cookie),
    path: request.url.split('?', 1)[0] ?? '/',
    outbox,
  };
}

function labelOf({ email, name, wallet }: SignedInUser): string {
  if (email !== null) return email;
  if (name !== '') return name;
  return wallet === null ? 'Account' : `${wallet.slice(0, 6)}…${wallet.slice(-4)}`;
}

/** Sends a page; it is kept nowhere: it may show what only its reader may see. */
export async function sendPage(reply: FastifyReply, page: string, status = 200): Promise<void> {
  await reply.code(status).header('cache-control', 'no-store').type('text/html; charset=utf-8').send(page);
}
