/** Both providers, and the settings with which a portal finds them. */
import { startGithub, type GithubServer } from './github-server.ts';
import { startOpenId, type OpenIdServer } from './openid-server.ts';

/** Providers that run. */
export interface Providers {
  readonly github: GithubServer;
  readonly google: OpenIdServer;
  /** The settings to start a portal with. */
  readonly settings: Readonly<Record<string, string>>;
  /** Registers a portal with them, at its public address. */
  serve(portalUrl: string): void;
  close(): Promise<void>;
}

/** Starts both on free ports. */
export async function startProviders(): Promise<Providers> {
  const [github, google] = await Promise.all([startGithub(), startOpenId()]);
  return {
    github,
    google,
    settings: {
      GITHUB_URL: github.url,
      GITHUB_CLIENT_ID: github.clientId,
      GITHUB_CLIENT_SECRET: github.clientSecret,
      GOOGLE_ISSUER: google.issuer,
      GOOGLE_CLIENT_ID: google.clientId,
      GOOGLE_CLIENT_SECRET: google.clientSecret,
    },
    serve: (portalUrl) => google.serve(portalUrl),
    close: async () => void (await Promise.all([github.close(), google.close()])),
  };
}
