import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccountChanges } from '../accounts/account-changes.ts';
import type { Cookies } from '../accounts/cookies.ts';
import type { KnownBrowsers } from '../accounts/known-browsers.ts';
import type { Sender, ReturningSender } from '../accounts/deps.ts';
import type { PasswordSignIn } from '../accounts/passwords.ts';
import type { ProviderSignIn } from '../accounts/provider-sign-in.ts';
import { newSecret } from '../accounts/secrets.ts';
import type { SessionKeeper } from '../accounts/session-keeper.ts';
import type { SignUps } from '../accounts/sign-ups.ts';
import type { WalletSignIn } from '../accounts/wallet-sign-in.ts';
import type { Account } from '../domain/account.ts';
import { parseEmail } from '../domain/email.ts';
import type { OriginOf } from '../origin.ts';
import type { WaysIn } from '../pages/parts/ways-in.ts';
import type { PageContext } from './pages.ts';

export interface AccountRouteDeps {
  readonly context: PageContext;
  readonly visitors: Visitors;
  readonly signUps: SignUps;
  readonly passwords: PasswordSignIn;
  readonly providers: ProviderSignIn;
  readonly wallets: WalletSignIn;
  readonly changes: AccountChanges;
  readonly ways: WaysIn;
}

/** The sign-in before a sensitive action on the account. */
export const AGAIN_FOR_ACCOUNT = '/sign-in?again=1&next=/account';

/** The account page, after a page of another account had asked for something. */
export const SWITCHED = '/account?done=switched';

export type Visitors = ReturnType<typeof createVisitors>;

interface VisitorDeps {
  readonly sessions: SessionKeeper;
  readonly cookies: Cookies;
  readonly browsers: Pick<KnownBrowsers, 'mark' | 'nameOf'>;
  readonly originOf: OriginOf;
}

/** The browser behind a request: its address, origin and session. */
export function createVisitors({ sessions, cookies, browsers, originOf }: VisitorDeps) {
  function browserOf(request: FastifyRequest): string | undefined {
    return cookies.browser(request.headers.cookie);
  }

  /** Marks the browser as one of the account's owner. */
  function know(reply: FastifyReply, { email }: Account): void {
    if (email === null) return;
    const mark = cookies.known(reply.request.headers.cookie);
    // Set again even if known, so that it lasts from now on.
    const known = browsers.nameOf(mark, email) === undefined ? browsers.mark(email) : mark!;
    reply.header('set-cookie', cookies.setKnown(known));
  }

  return {
    sessions,
    /** The portal's own origin, as this request's browser knows it. */
    originOf,
    browserOf,

    /** A visitor whose browser must be recognised later: it gets a cookie if it has none. */
    sender(reply: FastifyReply): Sender {
      const { request } = reply;
      const browser = browserOf(request) ?? newSecret();
      // Set again even if present, so that it outlasts the next step.
      reply.header('set-cookie', cookies.setBrowser(browser));
      return { address: request.ip, origin: originOf(request), browser };
    },

    /** A visitor who returns to finish what they began. */
    returningSender(request: FastifyRequest): ReturningSender {
      return { address: request.ip, origin: originOf(request), browser: browserOf(request) };
    },

    /** The address that this browser waits for mail at; null if it is unknown, or not an address. */
    addresseeOf(request: FastifyRequest): string | null {
      return parseEmail(cookies.addressee(request.headers.cookie) ?? '');
    },

    /** Notes the address that mail was sent to, for the page that says so. */
    noteAddressee(reply: FastifyReply, email: string): void {
      const address = parseEmail(email);
      if (address !== null) reply.header('set-cookie', cookies.setAddressee(address));
    },

    /** A visitor who signs in with a password. */
    signingIn(request: FastifyRequest): { readonly address: string; readonly known: string | undefined } {
      return { address: request.ip, known: cookies.known(request.headers.cookie) };
    },

    async signIn(reply: FastifyReply, account: Account, signedInAt?: number): Promise<void> {
      reply.header('set-cookie', await sessions.open(account, reply.request, signedInAt));
      know(reply, account);
    },

    know,

    forget(reply: FastifyReply): void {
      reply.header('set-cookie', cookies.clearSession());
    },
  };
}
