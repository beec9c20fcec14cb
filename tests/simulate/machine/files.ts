/** Files of simulated processes: on a real disk, in virtual time, with faults. */
import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import type { Machine, Process } from './machine.ts';

/** Milliseconds of most operations, and of a few. */
const USUAL_MS = [0.05, 2] as const;
const SLOW_MS = [20, 400] as const;
const SLOW_SHARE = 0.01;

const PLAIN = ['mkdir', 'readdir', 'rename', 'rm', 'stat', 'writeFile', 'unlink'] as const;
const WRITES = new Set<string>(['mkdir', 'writeFile']);

type Run = (...values: unknown[]) => unknown;

/** Replaces the functions of `node:fs/promises` that services use. */
export function takeOverFiles(current: () => Machine): void {
  for (const name of PLAIN) {
    const sync = fs[`${name}Sync`] as Run;
    const inTime = async (...values: unknown[]): Promise<unknown> => {
      const { process } = current();
      await waitForDisk(current());
      if (WRITES.has(name)) refuseWhenFull(process);
      return sync(...values);
    };
    Object.assign(promises, { [name]: inTime });
  }
  const writeSync = fs.writeSync as unknown as (...values: unknown[]) => number;
  Object.assign(fs, {
    writeSync(file: number, bytes: Buffer, from: number, length: number, position: number) {
      const { process, random } = current();
      if (!process.diskFull) return writeSync(file, bytes, from, length, position);
      // Writes only the bytes that still fit.
      const room = random.below(length);
      if (room > 0) writeSync(file, bytes, from, room, position);
      throw full();
    },
  });
  Object.assign(promises, {
    async open(path: string, flags: string, mode?: number) {
      await waitForDisk(current());
      return new File(current(), fs.openSync(path, flags, mode), path, flags !== 'r');
    },
  });
  syncBuiltinESMExports();
}

async function waitForDisk(machine: Machine): Promise<void> {
  const { random } = machine;
  const [from, to] = random.chance(SLOW_SHARE) ? SLOW_MS : USUAL_MS;
  await machine.wait(random.between(from, to));
}

function refuseWhenFull({ diskFull }: Process): void {
  if (diskFull) throw full();
}

function full(): Error {
  return Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC', errno: -28 });
}

/** An open file. In a power cut it loses some or all of what it has not synced. */
class File {
  readonly fd: number;
  readonly #machine: Machine;
  readonly #process: Process;
  readonly #end: (powerCut: boolean) => void;
  #synced: number;
  #isOpen = true;

  constructor(machine: Machine, fd: number, path: string, writes: boolean) {
    this.fd = fd;
    this.#machine = machine;
    this.#process = machine.process;
    this.#synced = writes ? fs.fstatSync(fd).size : 0;
    this.#end = (powerCut) => {
      this.#close();
      if (powerCut && writes && fs.existsSync(path)) this.#tear(path);
    };
    this.#process.onKill.add(this.#end);
  }

  async datasync(): Promise<void> {
    await waitForDisk(this.#machine);
    this.#synced = fs.fstatSync(this.fd).size;
  }

  sync(): Promise<void> {
    return this.datasync();
  }

  async truncate(length: number): Promise<void> {
    await waitForDisk(this.#machine);
    fs.ftruncateSync(this.fd, length);
  }

  async read(buffer: Buffer, offset: number, length: number, position: number) {
    await waitForDisk(this.#machine);
    return { bytesRead: fs.readSync(this.fd, buffer, offset, length, position), buffer };
  }

  async close(): Promise<void> {
    await waitForDisk(this.#machine);
    this.#process.onKill.delete(this.#end);
    this.#close();
  }

  #close(): void {
    if (this.#isOpen) fs.closeSync(this.fd);
    this.#isOpen = false;
  }

  #tear(path: string): void {
    const unsynced = fs.statSync(path).size - this.#synced;
    if (unsynced > 0) fs.truncateSync(path, this.#synced + this.#machine.random.below(unsynced + 1));
  }
}
