/** A real OpenID provider in Google's place. Every visitor is signed in as `user` and consents to everything. */
import { generateKeyPair, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { LASTING } from '@hindsight/kernel/test/support/lasting.ts';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import Provider, { type JWKS } from 'oidc-provider';
import { createOpenIdMemory } from './openid-memory.ts';

/** The user who is signed in at the provider in the test's browser. */
interface OpenIdUser {
  sub: string;
  email: string;
  email_verified: boolean;
  name: string;
  /** The hosted domain of Google Workspace. */
  hd?: string;
}

/** A provider that runs. */
export interface OpenIdServer {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  user: OpenIdUser;
  /** Registers a portal. */
  serve(portalUrl: string): void;
  close(): Promise<void>;
}

/** Seconds; longer than any test. */
const LIFETIME = 3_600;

/** Starts one on a free port. */
export async function startOpenId(): Promise<OpenIdServer> {
  const jwks = await newKeys();
  let provider: Provider | undefined;
  const server = createServer(LASTING, (request, response) => {
    if (provider === undefined) return void response.writeHead(503).end();
    const interacts = request.url?.startsWith('/interaction/');
    if (interacts) void interact(provider, request, response, openId.user.sub);
    else void provider.callback()(request, response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const openId: OpenIdServer = {
    issuer,
    clientId: 'hindsight-test',
    clientSecret: randomUUID(),
    user: { sub: 'g-1', email: 'ada@example.org', email_verified: true, name: 'Ada', hd: 'example.org' },
    serve(portalUrl) {
      provider = new Provider(issuer, {
        clients: [
          {
            client_id: openId.clientId,
            client_secret: openId.clientSecret,
            redirect_uris: [`${portalUrl}/sign-in/google/callback`],
            token_endpoint_auth_method: 'client_secret_post',
          },
        ],
        claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'hd'] },
        conformIdTokenClaims: false,
        findAccount: (_context, accountId) => {
          const user = { ...openId.user, sub: accountId };
          return { accountId, claims: () => user };
        },
        interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
        features: { devInteractions: { enabled: false } },
        pkce: { required: () => true },
        cookies: { keys: [randomUUID()] },
        // Without these it warns about defaults meant for development.
        jwks,
        adapter: createOpenIdMemory(),
        ttl: {
          AccessToken: LIFETIME,
          AuthorizationCode: LIFETIME,
          Grant: LIFETIME,
          IdToken: LIFETIME,
          Interaction: LIFETIME,
          Session: LIFETIME,
        },
      });
    },
    close: () => new Promise<void>((done) => void server.close(() => done()).closeAllConnections()),
  };
  return openId;
}

/** A key to sign with, as Google has one. */
async function newKeys(): Promise<JWKS> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  return {
    keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }],
  };
}

async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  accountId: string,
): Promise<void> {
  const { prompt, params } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    await provider.interactionFinished(request, response, { login: { accountId } });
    return;
  }
  const grant = new provider.Grant({ accountId, clientId: String(params.client_id) });
  grant.addOIDCScope('openid email profile');
  const consent = { grantId: await grant.save() };
  await provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
}
