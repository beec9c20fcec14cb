import type { FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import type { Platform } from '@hindsight/kernel/platform.ts';
import type { Account } from '../domain/account.ts';
import { DAY_MS, HOUR_MS } from '@hindsight/kernel/durations.ts';
import type { AccountStores, Session, SignedIn } from '../ports.ts';
import type { Cookies } from './cookies.ts';
import { hashOf, newSecret } from './secrets.ts';

/** A session ends this long after the sign-in. */
const LIFE_MS = 30 * DAY_MS;
/** And this long after its last use. */
const IDLE_MS = 14 * DAY_MS;
/** Interval between updates of `seenAt`. */
const SEEN_EVERY_MS = HOUR_MS;
const MAX_AGENT = 300;
/** Per account; one more ends the earliest. */
const MAX_SESSIONS = 100;

interface Deps extends Pick<Platform, 'clock' | 'ids'> {
  readonly stores: Pick<AccountStores, 'accounts' | 'sessions'>;
  readonly cookies: Cookies;
}

export type SessionKeeper = ReturnType<typeof createSessionKeeper>;

/** Opens and recognises sessions. Each sign-in gets a new secret, never one from outside. */
export function createSessionKeeper({ stores, cookies, clock, ids }: Deps) {
  /** Ends the browser's session. */
  async function close(headers: IncomingHttpHeaders): Promise<void> {
    const secret = cookies.session(headers.cookie);
    if (secret !== undefined) await stores.sessions.remove(hashOf(secret));
  }

  function isAlive({ expiresAt, seenAt }: Session): boolean {
    const now = clock.now();
    return expiresAt > now && seenAt + IDLE_MS > now;
  }

  return {
    close,

    /**
     * Signs a user in and ends the browser's previous session. Resolves to the Set-Cookie header.
     * @param signedInAt when they proved who they are; now by default
     */
    async open(
      account: Account,
      { ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>,
      signedInAt = clock.now(),
    ): Promise<string> {
      await close(headers);
      const secret = newSecret();
      // Before inserting, so that the new session is not the one that ends.
      await stores.sessions.keepLatest(account.id, MAX_SESSIONS - 1);
      await stores.sessions.insert({
        hash: hashOf(secret),
        id: ids.next(),
        userId: account.id,
        epoch: account.epoch,
        signedInAt,
        seenAt: clock.now(),
        expiresAt: signedInAt + LIFE_MS,
        address: ip,
        agent: headers['user-agent']?.slice(0, MAX_AGENT) ?? '',
      });
      return cookies.setSession(secret, LIFE_MS / 1_000);
    },

    async end(userId: string, id: string): Promise<void> {
      await stores.sessions.removeOne(userId, id);
    },

    /** Null for visitors who are not signed in, and for sessions that have ended. @throws {StoreUnavailable} */
    async current(headers: IncomingHttpHeaders): Promise<SignedIn | null> {
      const secret = cookies.session(headers.cookie);
      if (secret === undefined) return null;
      const session = await stores.sessions.find(hashOf(secret));
      if (session === null || !isAlive(session)) return null;
      const account = await stores.accounts.find(session.userId);
      if (account?.epoch !== session.epoch) return null;
      const now = clock.now();
      if (now - session.seenAt > SEEN_EVERY_MS) await stores.sessions.seen(session.hash, now);
      return { user: account, sessionId: session.id, signedInAt: session.signedInAt };
    },

    /** A user's active sessions, latest first. */
    async list({ id, epoch }: Account): Promise<Session[]> {
      const sessions = await stores.sessions.list(id, MAX_SESSIONS);
      return sessions.filter((session) => session.epoch === epoch && isAlive(session));
    },
  };
}
