/** One installation for all tests of a `describe`, with both providers to sign in by. */
import { afterAll, beforeAll } from '@jest/globals';
import { startProviders, type Providers } from '@hindsight/portal/test/support/providers.ts';
import type { Installation } from './installation.ts';

/** Starts an installation with these settings. */
type Start = (settings: Readonly<Record<string, string>>) => Promise<Installation>;

/** Call it in a `describe`. @returns the installation, from the first test on */
export function sharedInstallation(start: Start): () => Installation {
  let providers: Providers | undefined;
  let installation: Installation | undefined;
  beforeAll(async () => {
    providers = await startProviders();
    installation = await start(providers.settings);
    providers.serve(installation.portal);
  });
  afterAll(async () => {
    await installation?.stop();
    await providers?.close();
  });
  return () => {
    if (installation === undefined) throw new Error('the installation is there when the first test runs');
    return installation;
  };
}
