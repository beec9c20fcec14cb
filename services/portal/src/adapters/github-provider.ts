import * as oauth from 'openid-client';
import { z } from 'zod';
import type { IdentityProvider } from '../ports.ts';
import { allowLoopback, EXCHANGE_SECONDS, failing } from './oauth-exchange.ts';

interface GithubSettings {
  /** `GITHUB_URL`; github.com when not given. */
  readonly url?: string | undefined;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Seconds that it has for each answer; `EXCHANGE_SECONDS` if not given. */
  readonly seconds?: number | undefined;
}

const GITHUB = 'https://github.com';
const GITHUB_API = 'https://api.github.com';
const MAX_ANSWER_BYTES = 256 * 1024;

const USER = z.object({
  id: z.number().int().positive(),
  login: z.string().max(100),
  name: z.string().max(1_000).nullish(),
});
const EMAILS = z
  .array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }))
  .max(1_000);

/** Signs people in at GitHub: OAuth 2 with PKCE and state (https://docs.github.com/apps/oauth-apps). There are no ID tokens. */
export function createGithubProvider(settings: GithubSettings): IdentityProvider {
  const configuration = configure(settings);
  const { url } = settings;
  // GitHub Enterprise Server has the API below its own address.
  const api = url === undefined || url === GITHUB ? GITHUB_API : `${url}/api/v3`;
  return {
    begin: ({ state, codeVerifier }, redirectUri) =>
      failing('GitHub could not be asked', async () => {
        const target = oauth.buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope: 'read:user user:email',
          code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
          code_challenge_method: 'S256',
          state,
        });
        return target.href;
      }),
    finish: (callback, { state, codeVerifier }) =>
      failing('signing in at GitHub failed', async () => {
        const checks = { pkceCodeVerifier: codeVerifier, expectedState: state };
        const { access_token: token } = await oauth.authorizationCodeGrant(configuration, callback, checks);
        const user = await ask(configuration, { token, target: `${api}/user` }, USER);
        const emails = await ask(configuration, { token, target: `${api}/user/emails` }, EMAILS);
        const primary = emails.find((each) => each.primary && each.verified);
        return {
          subject: String(user.id),
          label: user.login,
          name: user.name ?? user.login,
          verifiedEmail: primary?.email ?? null,
        };
      }),
  };
}

function configure({
  url = GITHUB,
  clientId,
  clientSecret,
  seconds = EXCHANGE_SECONDS,
}: GithubSettings): oauth.Configuration {
  const configuration = new oauth.Configuration(
    {
      // GitHub names it in each return (RFC 9207), and returns that name another one are refused.
      issuer: `${url}/login/oauth`,
      authorization_endpoint: `${url}/login/oauth/authorize`,
      token_endpoint: `${url}/login/oauth/access_token`,
    },
    clientId,
    undefined,
    oauth.ClientSecretPost(clientSecret),
  );
  configuration.timeout = seconds;
  for (const allow of allowLoopback(url)) allow(configuration);
  return configuration;
}

/** Calls GitHub's API with a user's token. */
async function ask<T>(
  configuration: oauth.Configuration,
  { token, target }: { token: string; target: string },
  schema: z.ZodType<T>,
): Promise<T> {
  const headers = new Headers({ accept: 'application/vnd.github+json', 'user-agent': 'hindsight' });
  const response = await oauth.fetchProtectedResource(
    configuration,
    token,
    new URL(target),
    'GET',
    undefined,
    headers,
  );
  const text = await response.text();
  if (!response.ok || text.length > MAX_ANSWER_BYTES) throw new Error(`GitHub answered ${response.status}`);
  return schema.parse(JSON.parse(text));
}
