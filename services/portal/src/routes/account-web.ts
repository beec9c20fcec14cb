/** What the routes of accounts share. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '@hindsight/shared/clock.ts';
import type { AccountChanges } from '../accounts/account-changes.ts';
import type { Cookies } from '../accounts/cookies.ts';
import type { Asker, Returning } from '../accounts/parts.ts';
import type { PasswordSignIn } from '../accounts/passwords.ts';
import type { ProviderSignIn } from '../accounts/provider-sign-in.ts';
import { newSecret } from '../accounts/secrets.ts';
import type { SessionKeeper, Visitor } from '../accounts/session-keeper.ts';
import type { SignUps } from '../accounts/sign-ups.ts';
import type { WalletSignIn } from '../accounts/wallet-sign-in.ts';
import type { Account } from '../domain/account.ts';
import { safeNext } from '../domain/next-path.ts';
import type { OriginOf } from '../origin.ts';
import type { WaysIn } from '../pages/parts/ways-in.ts';
import type { AccountStore } from '../ports.ts';
import type { Exchange, PageContext } from './pages.ts';

/** What the routes of accounts stand on. */
export interface AccountWeb {
  readonly context: PageContext;
  readonly originOf: OriginOf;
  readonly cookies: Cookies;
  readonly keeper: SessionKeeper;
  readonly accounts: Pick<AccountStore, 'find'>;
  readonly signUps: SignUps;
  readonly passwords: PasswordSignIn;
  readonly providers: ProviderSignIn;
  readonly wallets: WalletSignIn;
  readonly changes: AccountChanges;
  readonly ways: WaysIn;
  /** Whether letters reach anybody. */
  readonly mails: boolean;
  readonly clock: Clock;
}

/** Where somebody signs in once more before something delicate, and comes back to the account. */
export const AGAIN_FOR_ACCOUNT = '/sign-in?again=1&next=/account';

/** What is said where letters would reach nobody. */
export const NO_MAIL = 'This installation cannot send mail yet. Please sign in another way.';

/** Who asks, in a browser that is known again later: it is given a cookie where it has none. */
export function askerOf(web: AccountWeb, request: FastifyRequest, reply: FastifyReply): Asker {
  const browser = browserOf(web, request) ?? newSecret();
  // Also where it has one: it is to last as long as what comes next.
  reply.header('set-cookie', web.cookies.setBrowser(browser));
  return { address: request.ip, origin: web.originOf(request), browser };
}

/** Who comes back to what they have begun. */
export function returningOf(web: AccountWeb, request: FastifyRequest): Returning {
  return { address: request.ip, origin: web.originOf(request), browser: browserOf(web, request) };
}

/** The secret of the browser's cookie. */
export function browserOf({ cookies }: AccountWeb, request: FastifyRequest): string | undefined {
  return cookies.browser(request.headers.cookie);
}

/** Signs somebody in, in this browser. */
export async function signIn(
  { keeper }: AccountWeb,
  { request, reply }: Exchange,
  account: Account,
): Promise<void> {
  const visitor: Visitor = { address: request.ip, agent: request.headers['user-agent'] ?? '' };
  reply.header('set-cookie', await keeper.open(account, visitor, request.headers));
}

/** Goes on to a page of this site, with GET. */
export async function goTo(reply: FastifyReply, path: string): Promise<void> {
  await reply.header('cache-control', 'no-store').redirect(safeNext(path), 303);
}
