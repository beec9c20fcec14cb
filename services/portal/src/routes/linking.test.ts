/** Linking, whose session may end while a wallet's contract or a provider answers. */
import { expect, it } from '@jest/globals';
import type { HttpServer } from '@hindsight/http/types.ts';
import { newAccount } from '../domain/account.ts';
import type { AccountRouteDeps } from './account-deps.ts';
import { addProviders } from './providers.ts';
import { addWallets } from './wallets.ts';

const ADA = newAccount({ id: 'ada', email: null, createdAt: 0, identities: [] });
type Answering = (_: unknown, __: unknown, sender?: { signedIn(): Promise<unknown> }) => Promise<unknown>;

it.each([
  ['a wallet', addWallets, '/account/link/wallet', { next: '/account?done=gone' }],
  ['a provider', addProviders, '/sign-in/github/callback', '/sign-in?notice=switched'],
] as const)('reads who is signed in once %s has answered', async (_what, add, path, expected) => {
  let user: object | null = { user: ADA, sessionId: '1', signedInAt: 0 };
  const seen: unknown[] = [];
  const answer = (outcome: unknown): Answering => {
    return async (_, __, sender) => {
      user = null;
      seen.push(await sender?.signedIn());
      return outcome;
    };
  };
  const routes = new Map<string, (request: object, reply: object) => Promise<unknown>>();
  const note = (at: string, handler: (request: object, reply: object) => Promise<unknown>) =>
    void routes.set(at, handler);
  add(
    { get: note, post: note } as unknown as HttpServer,
    {
      context: { sessions: { current: async () => user }, clock: { now: () => 0 } },
      visitors: { returningSender: () => ({}) },
      ways: { github: true },
      wallets: { link: answer('gone') },
      providers: { finish: answer({ kind: 'switched' }) },
    } as unknown as AccountRouteDeps,
  );
  const request = { headers: {}, body: { account: 'ada' }, url: '/sign-in/github/callback?state=1' };
  const sent: unknown[] = [];
  const reply = {
    request,
    header: () => reply,
    send: (body: unknown) => void sent.push(body),
    redirect: (to: string) => void sent.push(to),
  };
  await routes.get(path)?.(request, reply);
  expect([seen, sent]).toEqual([[null], [expected]]);
});
