/** Buses that a test opens and need not close. */
import { afterEach } from '@jest/globals';
import type { BusDeps } from '../../src/create-bus.ts';
import {
  type BusHarness,
  busOptions,
  type Things,
  type ThingsBus,
  type ThingTopics,
} from './harness.contract.ts';

/** Opens a bus on new topics, as another member with few retries. */
export type OpenBus = (
  topics: Things | readonly Things[],
  options?: Partial<BusDeps<ThingTopics>>,
) => ThingsBus;

/** Opens buses for the tests of the suite that calls it, and closes them after each. */
export function busesOfEachCase(harness: () => BusHarness): OpenBus {
  const opened: ThingsBus[] = [];
  afterEach(() => Promise.all(opened.splice(0).map((bus) => bus.close())));
  return (topics, options) => {
    const bus = harness().open({ ...busOptions([topics].flat()), ...options });
    opened.push(bus);
    return bus;
  };
}
