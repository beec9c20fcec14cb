import type { Clock } from '@hindsight/shared/clock.ts';
import { MINUTE_MS } from '../domain/durations.ts';
import type { SignedIn } from '../ports.ts';
import type { Exchange, PageContext } from './pages.ts';

/** What is delicate asks for a proof of who it is that is younger than this. */
const RECENT_MS = 10 * MINUTE_MS;

/** Who asks; strangers are sent to sign in, and come back to the page. */
export async function requireUser(
  { sessions }: PageContext,
  { request, reply }: Exchange,
): Promise<SignedIn | null> {
  const signedIn = await sessions.current(request.headers);
  if (signedIn !== null) return signedIn;
  const back = request.method === 'GET' ? request.url : '/dashboard';
  await reply.header('cache-control', 'no-store').redirect(`/sign-in?next=${encodeURIComponent(back)}`, 303);
  return null;
}

/** Whether somebody has proved lately who they are. */
export function isRecent({ clock }: { readonly clock: Clock }, { signedInAt }: SignedIn): boolean {
  return clock.now() - signedInAt.getTime() < RECENT_MS;
}
