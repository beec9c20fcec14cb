import { availableParallelism } from 'node:os';

/** Tests run as they are written: Node strips the types, jest transforms nothing. */
export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {},
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/data/', '/.stack/'],
  modulePathIgnorePatterns: ['/data/', '/.stack/'],
  // Against what hangs, not against what is slow: a machine may be busy with other things.
  testTimeout: 180_000,
  globalSetup: './tests/global-setup.ts',
  globalTeardown: './tests/global-teardown.ts',
  testSequencer: './tests/sequencer.ts',
  // By default jest leaves one core to itself: on two cores that is one process for all suites.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  // ES modules of finished suites are never freed: a worker that holds more than this is replaced.
  workerIdleMemoryLimit: '300MB',
  // A test run must end by itself: a handle left open is a defect of the code under test.
  forceExit: false,
};
