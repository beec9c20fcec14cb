/** GitHub's sign-in: a real server with its addresses, its checks and its answers. */
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { LASTING } from '@hindsight/kernel/test/support/lasting.ts';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** The user who is signed in at the provider in the test's browser. */
export interface GithubUser {
  id: number;
  login: string;
  name: string | null;
  emails: { email: string; primary: boolean; verified: boolean }[];
}

/** A server that runs. */
export interface GithubServer {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  user: GithubUser;
  /** Codes that were exchanged for a token. */
  readonly exchanged: string[];
  close(): Promise<void>;
}

interface Grant {
  readonly challenge: string;
  readonly redirectUri: string;
  readonly user: GithubUser;
}

/** Starts one on a free port. */
export async function startGithub(): Promise<GithubServer> {
  const codes = new Map<string, Grant>();
  const tokens = new Map<string, GithubUser>();
  const github = {
    url: '',
    clientId: 'hindsight-test',
    clientSecret: randomUUID(),
    exchanged: [] as string[],
    user: { id: 1, login: 'octocat', name: 'Mona', emails: [] } as GithubUser,
    close: () => new Promise<void>((done) => void server.close(() => done()).closeAllConnections()),
  };
  const authorize = ({ searchParams: asked }: URL, response: ServerResponse): void => {
    const code = randomUUID();
    const redirectUri = asked.get('redirect_uri') ?? '';
    const challenge = asked.get('code_challenge_method') === 'S256' ? asked.get('code_challenge') : null;
    codes.set(code, { challenge: challenge ?? '', redirectUri, user: github.user });
    const back = new URL(redirectUri);
    back.searchParams.set('code', code);
    back.searchParams.set('state', asked.get('state') ?? '');
    // GitHub names itself so (RFC 9207): for some days of April 2026, and again by August.
    back.searchParams.set('iss', `${github.url}/login/oauth`);
    response.writeHead(302, { location: back.href }).end();
  };
  const exchange = async (request: IncomingMessage): Promise<object> => {
    const form = new URLSearchParams(await text(request));
    const code = form.get('code') ?? '';
    const grant = codes.get(code);
    codes.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const right =
      grant?.challenge === challenge &&
      grant.redirectUri === form.get('redirect_uri') &&
      form.get('client_id') === github.clientId &&
      form.get('client_secret') === github.clientSecret;
    // As GitHub does: an error with status 200.
    if (!right)
      return { error: 'bad_verification_code', error_description: 'The code is incorrect or expired.' };
    const token = randomUUID();
    tokens.set(token, grant.user);
    github.exchanged.push(code);
    return { access_token: token, token_type: 'bearer', scope: 'read:user,user:email' };
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', github.url);
    if (url.pathname === '/login/oauth/authorize') return authorize(url, response);
    const user = tokens.get(/^bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '');
    const answers: Record<string, () => object | Promise<object> | undefined> = {
      '/login/oauth/access_token': () => exchange(request),
      '/api/v3/user': () => user && { id: user.id, login: user.login, name: user.name },
      '/api/v3/user/emails': () => user?.emails,
    };
    const answer = await answers[url.pathname]?.();
    response
      .writeHead(answer === undefined ? 401 : 200, { 'content-type': 'application/json' })
      .end(JSON.stringify(answer ?? { message: 'Bad credentials' }));
  };
  const server = createServer(LASTING, (request, response) => void handle(request, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  github.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return github;
}
