import { addressBlock } from '@hindsight/http/address-block.ts';
import { displayName, type Account } from '../domain/account.ts';
import { MINUTE_MS } from '@hindsight/kernel/durations.ts';
import { parseEmail } from '../domain/email.ts';
import type { IdentityProvider, ProviderProfile } from '../ports.ts';
import type { Identities, Linking, Vouched } from './identities.ts';
import { dataOf, issue, type AccountDeps, type Sender, type ReturningSender } from './deps.ts';
import { hashOf, newSecret } from './secrets.ts';

export type ProviderName = 'github' | 'google';

export type Providers = Readonly<Partial<Record<ProviderName, IdentityProvider>>>;

/** For signing in at the provider and returning. */
const LIFE_MS = 10 * MINUTE_MS;

interface Journey {
  readonly provider: ProviderName;
  readonly codeVerifier: string;
  readonly nonce: string;
  /** Hash of the browser's secret: the return must come from the same browser. */
  readonly browser: string;
  readonly next: string;
  /** The account that the identity is to be added to; null to sign in by it. */
  readonly linkTo: string | null;
  /** The account whose owner confirms who they are; null for any. */
  readonly confirms: string | null;
}

export type Return =
  | { readonly kind: 'signed-in'; readonly account: Account; readonly next: string }
  | { readonly kind: 'linked'; readonly outcome: Linking }
  /** The user cancelled. */
  | { readonly kind: 'refused' }
  /** A user confirms who they are, and is someone else at the provider. */
  | { readonly kind: 'different' }
  /** The user who wanted to link has signed out, or in as someone else. */
  | { readonly kind: 'switched' }
  /** It was not started by this portal: forged, already used, or too old. */
  | { readonly kind: 'unknown' };

interface Deps extends AccountDeps {
  readonly providers: Providers;
  readonly identities: Identities;
}

export type ProviderSignIn = ReturnType<typeof createProviderSignIn>;

export function createProviderSignIn(deps: Deps) {
  const { providers, attempts, stores, clock, identities } = deps;
  return {
    /** The URL to send the browser to; null when the provider is not configured. @throws {ProviderFailed} */
    async begin(
      provider: ProviderName,
      purpose: Pick<Journey, 'next' | 'linkTo' | 'confirms'>,
      sender: Sender,
    ): Promise<string | null> {
      const port = providers[provider];
      if (port === undefined) return null;
      await attempts.spend(['provider from', addressBlock(sender.address)]);
      const secrets = { state: newSecret(), codeVerifier: newSecret(), nonce: newSecret() };
      const url = await port.begin(secrets, redirectUri(provider, sender.origin));
      const { state, ...kept } = secrets;
      const journey: Journey = { provider, ...kept, browser: hashOf(sender.browser), ...purpose };
      const wish = { kind: 'oauth', owner: provider, lifeMs: LIFE_MS, data: journey, secret: state } as const;
      await issue(deps, wish);
      return url;
    },

    /**
     * @param query of the callback's URL, unchanged
     * @param signedIn reads who is signed in
     * @throws {ProviderFailed}
     */
    async finish(
      provider: ProviderName,
      query: string,
      sender: ReturningSender & { readonly signedIn: () => Promise<Account | null> },
    ): Promise<Return> {
      const port = providers[provider];
      const callback = new URL(`${redirectUri(provider, sender.origin)}?${query}`);
      const state = callback.searchParams.get('state');
      if (port === undefined || state === null) return { kind: 'unknown' };
      await attempts.spend(['provider from', addressBlock(sender.address)]);
      const ticket = await stores.tickets.take('oauth', hashOf(state), clock.now());
      const journey = ticket && dataOf<Journey>(ticket);
      if (journey?.provider !== provider || sender.browser === undefined) return { kind: 'unknown' };
      if (journey.browser !== hashOf(sender.browser)) return { kind: 'unknown' };
      // Any other error, such as a wrong callback address, is the operator's to know: the exchange fails with it.
      if (callback.searchParams.get('error') === 'access_denied') return { kind: 'refused' };
      const secrets = { state, codeVerifier: journey.codeVerifier, nonce: journey.nonce };
      const profile = await port.finish(callback, secrets, redirectUri(provider, sender.origin));
      const vouched = toVouched(provider, profile);
      // Read only now: while the provider answered, the owner may have ended a stranger's session.
      const user = await sender.signedIn();
      if (journey.linkTo !== null) {
        if (user?.id !== journey.linkTo) return { kind: 'switched' };
        return { kind: 'linked', outcome: await identities.link(user, vouched, sender.origin) };
      }
      // A session that ends on the way leaves its user to be confirmed: else another would enter, or a new account.
      const confirmed = user?.id ?? journey.confirms;
      if (confirmed && !(await identities.isOf(confirmed, vouched))) return { kind: 'different' };
      const account = await identities.signIn(vouched, sender);
      return { kind: 'signed-in', account, next: journey.next };
    },
  };
}

function toVouched(
  provider: ProviderName,
  { subject, label, name, verifiedEmail }: ProviderProfile,
): Vouched {
  return {
    identity: { provider, subject, label: displayName(label) },
    name: displayName(name),
    verifiedEmail: parseEmail(verifiedEmail),
  };
}

function redirectUri(provider: ProviderName, origin: string): string {
  return `${origin}/sign-in/${provider}/callback`;
}
