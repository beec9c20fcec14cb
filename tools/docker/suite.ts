/** Declares that a test file needs a Docker engine with this repository's images. */
import { afterAll } from '@jest/globals';
import type { Environment } from '@hindsight/kernel/config.ts';
import {
  askForEngine,
  type EngineOffer,
  SHARED_SERVERS,
  takeNetworkTurn,
} from '../servers/shared-servers.ts';
import { describeUnless } from '../servers/suite.ts';
import { docker } from './engine.ts';

/** The engine of the run. Containers, networks and volumes need names of one suite only. */
export type SharedEngine = Extract<EngineOffer, { kind: unknown }> & {
  readonly docker: (...args: readonly string[]) => Promise<string>;
};

/**
 * A `describe` on a Docker engine, to be awaited at the top level. Without an engine it is skipped with one
 * line on stderr, and fails with `REQUIRE_DOCKER=1`. An image that cannot be built is always a failure.
 */
export async function describeOnEngine(
  title: string,
  env: Environment,
  body: (engine: SharedEngine) => void,
): Promise<void> {
  const address = env[SHARED_SERVERS];
  if (address === undefined) throw new Error(`${SHARED_SERVERS} is not set: run tests with npm test`);
  // An engine changes the network as soon as it starts.
  const endTurn = await takeNetworkTurn(address, 'engine');
  const offer = await askForEngine(address);
  if ('absent' in offer || 'fault' in offer) endTurn();
  const absent = 'absent' in offer ? [offer.absent] : [];
  const faults = 'fault' in offer ? [offer.fault] : [];
  // Not every machine that must have servers lets an engine start.
  const required = env.REQUIRE_DOCKER === '1' ? 'REQUIRE_DOCKER=1' : undefined;
  describeUnless(title, { absent, faults }, required, () => {
    const found = offer as Extract<EngineOffer, { kind: unknown }>;
    body({ ...found, docker: (...args) => docker({ host: found.host }, args) });
    // After the suite's own hooks, which remove its networks.
    afterAll(endTurn);
  });
}
