import { once } from '@hindsight/kernel/once.ts';
import * as oauth from 'openid-client';
import type { IdentityProvider } from '../ports.ts';
import { allowLoopback, EXCHANGE_SECONDS, failing } from './oauth-exchange.ts';

interface OpenIdSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Seconds that it has for each answer; `EXCHANGE_SECONDS` if not given. */
  readonly seconds?: number | undefined;
}

/**
 * Signs people in at an OpenID provider, such as Google: code flow with PKCE, state and nonce. Discovered on
 * first use.
 */
export function createOpenIdProvider({
  issuer,
  clientId,
  clientSecret,
  seconds = EXCHANGE_SECONDS,
}: OpenIdSettings): IdentityProvider {
  const configuration = once(() =>
    oauth.discovery(new URL(issuer), clientId, undefined, oauth.ClientSecretPost(clientSecret), {
      timeout: seconds,
      execute: allowLoopback(issuer),
    }),
  );
  return {
    begin: ({ state, nonce, codeVerifier }, redirectUri) =>
      failing('the OpenID provider could not be asked', async () => {
        const url = oauth.buildAuthorizationUrl(await configuration(), {
          redirect_uri: redirectUri,
          scope: 'openid email profile',
          code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
          code_challenge_method: 'S256',
          state,
          nonce,
        });
        return url.href;
      }),
    finish: (callback, { state, nonce, codeVerifier }) =>
      failing('signing in at the OpenID provider failed', async () => {
        const tokens = await oauth.authorizationCodeGrant(await configuration(), callback, {
          pkceCodeVerifier: codeVerifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims === undefined) throw new Error('there is no ID token');
        const { sub: subject, email, name } = claims;
        const address = typeof email === 'string' ? email : null;
        return {
          subject,
          label: address ?? subject,
          name: typeof name === 'string' ? name : '',
          verifiedEmail: isAuthoritative(claims) ? address : null,
        };
      }),
  };
}

/**
 * True if the provider itself manages the address. Google verifies other addresses once, and their mailboxes
 * may have changed hands since
 * (https://developers.google.com/identity/gsi/web/guides/verify-google-id-token).
 */
function isAuthoritative({ email, email_verified: verified, hd }: oauth.IDToken): boolean {
  if (verified !== true || typeof email !== 'string') return false;
  return /@(gmail|googlemail)\.com$/i.test(email) || (typeof hd === 'string' && hd !== '');
}
