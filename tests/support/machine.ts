/** What processes of tests are given of the caller's environment: what the machine needs, and no settings. */
export function machineEnv(): { PATH?: string; HOME?: string; NODE_COMPILE_CACHE?: string } {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  return {
    ...(PATH === undefined ? {} : { PATH }),
    ...(HOME === undefined ? {} : { HOME }),
    // Set for the run (tests/global-setup.ts): half of a process's start is compiling the same modules again.
    ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
  };
}
