/**
 * The one contract of the bus, for every adapter. Cases that do not apply to an adapter are declared, and
 * shown in the report.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeDelivery } from './contract/delivery.contract.ts';
import { type BrokerFaults, describeBroker } from './contract/broker.contract.ts';
import { type BusHarness, type Things, thingsTopic } from './contract/harness.contract.ts';
import { describeDeadLetters } from './contract/dead-letters.contract.ts';
import { describeLog } from './contract/log.contract.ts';
import { describeMembers } from './contract/members.contract.ts';

/** Features of an adapter that the contract depends on. */
interface Features {
  /** The server's faults, or the reason why there is none. */
  readonly broker: (() => BrokerFaults) | { readonly none: string };
}

/** Runs the contract on a log. */
export function describeBus(features: Features, start: () => Promise<BusHarness>): void {
  let started: BusHarness;
  let topics = 0;
  const harness = (): BusHarness => started;
  const run = Date.now().toString(36);
  const newTopic = (partitions = 3): Things => thingsTopic(`test.${run}.${++topics}`, partitions);

  beforeAll(async () => {
    started = await start();
  });
  afterAll(() => started.stop());

  describe('the log', () => describeLog(harness, newTopic));
  describe('delivery', () => describeDelivery(harness, newTopic));
  describe('dead letters', () => describeDeadLetters(harness, newTopic));
  describe('groups', () => describeMembers(harness, newTopic));
  const { broker } = features;
  if (typeof broker === 'function') describe('faults', () => describeBroker(harness, newTopic, broker));
  else it(`has no broker that could be unavailable: ${broker.none}`, () => expect(broker.none).not.toBe(''));
}
