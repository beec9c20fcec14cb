import type { GithubServer } from './github-server.ts';
import type { OpenIdServer } from './openid-server.ts';
import { startProviders } from './providers.ts';
import type { Place } from './run-dashboard.ts';
import { runPortal, type RunningPortal } from './run-portal.ts';

/** A portal with all four ways to sign in, and the servers of two of them. */
export interface PortalWithProviders {
  readonly portal: RunningPortal;
  readonly github: GithubServer;
  readonly google: OpenIdServer;
  stop(): Promise<void>;
}

/** Starts all of it. */
export async function runPortalWithProviders(place: Place): Promise<PortalWithProviders> {
  const providers = await startProviders();
  const portal = await runPortal(place, { env: providers.settings, trustProxy: ['127.0.0.1'] });
  providers.serve(portal.url);
  return {
    portal,
    github: providers.github,
    google: providers.google,
    stop: async () => {
      await portal.stop();
      await providers.close();
    },
  };
}
