import { execFileSync } from 'node:child_process';

/** Sets the size above which a process can write no file, as on a full disk. */
export function setFileSize(pid: number, size: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${size}:unlimited`]);
}
