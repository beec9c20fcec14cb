/** The last two are set for the run (tests/global-setup.ts): they halve the start of a process. */
const NAMES = ['PATH', 'HOME', 'NODE_COMPILE_CACHE', 'JDK_JAVA_OPTIONS'];

/**
 * Limits of processes in suites that are about none: on a busy machine a node, a service or the suite itself may stand still for
 * half a minute.
 */
export const PATIENT = {
  ETH_RPC_TIMEOUT_MS: '60000',
  REQUEST_TIMEOUT_MS: '110000',
  UPSTREAM_TIMEOUT_MS: '120000',
} as const;

/**
 * Variables of the caller's environment for processes of tests: those that the machine needs, and no
 * settings.
 */
export function machineEnv(): Readonly<Record<string, string>> {
  const given = NAMES.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(given) as Record<string, string>;
}
