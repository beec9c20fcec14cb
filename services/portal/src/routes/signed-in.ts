import type { FastifyReply, FastifyRequest } from 'fastify';
import { MINUTE_MS } from '@hindsight/kernel/durations.ts';
import type { SignedIn } from '../ports.ts';
import type { PageContext } from './pages.ts';

/** Sensitive actions require a sign-in that is younger than this. */
const RECENT_MS = 10 * MINUTE_MS;

/**
 * The session of the request. Visitors who are not signed in are redirected to sign in, and return to the
 * page.
 */
export async function requireUser(
  { sessions }: PageContext,
  reply: FastifyReply,
  back = pageOf(reply.request),
): Promise<SignedIn | null> {
  const signedIn = await sessions.current(reply.request.headers);
  if (signedIn !== null) return signedIn;
  await reply.header('cache-control', 'no-store').redirect(`/sign-in?next=${encodeURIComponent(back)}`, 303);
  return null;
}

/** A file would come while its reader still sees the form: they return to the page that offers it. */
function pageOf({ method, url }: FastifyRequest): string {
  return method === 'GET' ? url.replace(/(?:\.csv|\/export)(?=\?|$)/, '') : '/dashboard';
}

/** True if a page is of another account than the one signed in now: a second tab has signed in since. */
export function isOfAnother({ user }: SignedIn, account: unknown): boolean {
  return typeof account === 'string' && account !== '' && account !== user.id;
}

/** True if the user has signed in recently enough for a sensitive action. */
export function isRecent({ clock }: PageContext, { signedInAt }: SignedIn): boolean {
  return clock.now() - signedInAt < RECENT_MS;
}

/** Has a form's sender confirm their identity; then the form, with all its fields, continues to `path`. */
export async function confirmFirst(reply: FastifyReply, path: string): Promise<void> {
  // 307 keeps the method and the body: forms need no script for it.
  await reply
    .header('cache-control', 'no-store')
    .redirect(`/sign-in/again?then=${encodeURIComponent(path)}`, 307);
}
