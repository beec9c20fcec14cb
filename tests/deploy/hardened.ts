/** Hardening of every process inside its container, wherever it runs. */

/** For `docker exec CONTAINER bash -c`: prints the text of `HARDENED`. */
export const LOOK_INSIDE = `
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

/** Not root, without privileges, read-only, and answering. */
export const HARDENED = [
  '1000',
  'CapEff: 0000000000000000',
  'CapBnd: 0000000000000000',
  'NoNewPrivs: 1',
  "touch: cannot touch '/app/x': Read-only file system",
  '/livez 200',
  '/readyz 200',
].join('\n');
