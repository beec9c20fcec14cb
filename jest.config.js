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
  // A test run must end by itself: a handle left open is a defect of the code under test.
  forceExit: false,
};
