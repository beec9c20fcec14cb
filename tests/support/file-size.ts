import { execFileSync } from 'node:child_process';

/** Sets the size above which a process can write no file, as on a full disk: 0, or `unlimited`. */
export function setFileSize(pid: number, size: '0' | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${size}:unlimited`]);
}
