/** Hardening of every process inside its container, wherever it runs. */
import { until } from '@hindsight/kernel/test/support/until.ts';

const READY = '/readyz 200';
const WITHIN_MS = 600_000;
const LOOK_EVERY_MS = 500;

/** For `bash -c` in the container: prints the text of `HARDENED`. */
const LOOK = `
  id -u
  grep -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/1/status | tr -s '\\t' ' '
  touch /app/x 2>&1
  for path in /livez /readyz; do
    exec 3<>/dev/tcp/127.0.0.1/8080
    printf "GET $path HTTP/1.0\\r\\n\\r\\n" >&3
    read -r _ status _ <&3
    echo "$path $status"
  done
`;

/**
 * Looks inside until the process is ready, which it is not while its stores are slow.
 * @param bash runs a script in the container
 * @returns the text of `HARDENED` where all is well
 */
export async function lookInside(bash: (script: string) => Promise<string>): Promise<string> {
  let seen = '';
  const isReady = async (): Promise<boolean> => (seen = await bash(LOOK)).endsWith(READY);
  await until('the process is ready', isReady, WITHIN_MS, LOOK_EVERY_MS);
  return seen;
}

/** Not root, without privileges, read-only, and answering. */
export const HARDENED = [
  '1000',
  'CapEff: 0000000000000000',
  'CapBnd: 0000000000000000',
  'NoNewPrivs: 1',
  "touch: cannot touch '/app/x': Read-only file system",
  '/livez 200',
  READY,
].join('\n');
