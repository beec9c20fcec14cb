import { availableParallelism } from 'node:os';

/** Modules that suites share: all but those that tests alone use, and jest's own. */
const SHARED = String.raw`^${RegExp.escape(import.meta.dirname)}/(?!tests/|tools/(docker|servers)/suite\.ts$|(?!node_modules/).*(/test/|\.test\.ts$)).*\.[cm]?[jt]s$`;

/** Tests run as they are written: Node strips the types. */
export default {
  testEnvironment: './tests/environment.ts',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { [SHARED]: './tests/shared-modules.ts' },
  transformIgnorePatterns: [
    '/node_modules/(@jest|jest[^/]*|expect|pretty-format|source-map-support|convert-source-map)/',
  ],
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/data/', '/.stack/'],
  // A built client has the name of its source.
  modulePathIgnorePatterns: ['/data/', '/.stack/', '/clients/[^/]+/dist/'],
  // Against what hangs, not against what is slow: a machine may be busy with other things.
  testTimeout: 900_000,
  globalSetup: './tests/global-setup.ts',
  globalTeardown: './tests/global-teardown.ts',
  testSequencer: './tests/sequencer.ts',
  // Suites spend a part of their time waiting: three more than there are cores, which rest on a crowded machine (tests/room.ts).
  // A worker takes up to 1.3 GiB.
  // (jest's own default on two cores is one process for all suites.)
  maxWorkers: Math.min(availableParallelism(), 4) + 3,
  // A worker whose heap is larger than this after a suite is replaced. `npm test` turns V8's compilation cache off: it would
  // keep all modules of finished suites.
  workerIdleMemoryLimit: '800MB',
  // A test run must end by itself: a handle left open is a defect of the code under test.
  forceExit: false,
};
