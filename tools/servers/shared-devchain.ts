import type { Devchain } from '@hindsight/devchain/devchain.ts';
import type { Environment } from '@hindsight/kernel/config.ts';
import { askForOther, SHARED_SERVERS } from './shared-servers.ts';

/**
 * The dev chain of the run, for suites that only read it: seeding one takes two seconds of CPU. A suite that mines,
 * sets code or stops its node starts its own (`startDevchain`). The end of the run checks that its head is the same.
 */
export async function sharedDevchain(env: Environment): Promise<Devchain> {
  const address = env[SHARED_SERVERS];
  if (address === undefined) throw new Error(`${SHARED_SERVERS} is not set: run tests with npm test`);
  const chain = await askForOther<Omit<Devchain, 'stop'>>(address, 'devchain');
  return { ...chain, stop: () => Promise.resolve() };
}
