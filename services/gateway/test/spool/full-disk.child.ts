/**
 * Instances of a gateway on a small disk, one process after another. The first process begins a new
 * namespace, in which the disk is mounted, and which ends with it. Prints its observations, a JSON line each.
 */
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSpool } from '../../src/usage/spool/open-spool.ts';

const [role, folder = '', full] = process.argv.slice(2);
const root = join(folder, 'usage-spool');
const record = { projectId: 'p', day: '2026-11-21', endpoint: 'balance-single' };

function say(what: object): void {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}

function open() {
  const destination = { write: (line: string) => void process.stdout.write(line) };
  const logger = createLogger({ name: 'gateway', level: 'info', destination });
  const clock = { now: () => Date.UTC(2026, 10, 21) };
  return openSpool({ dataDir: folder, maxBytes: 1_000_000, producer: randomUUID(), clock, logger });
}

/** Runs the next instance; it inherits the namespace. */
function run(next: string): void {
  const { status, signal } = spawnSync(process.execPath, [import.meta.filename, next, folder], {
    stdio: 'inherit',
  });
  say({ instance: next, status, signal });
}

/** Fills the disk to its last byte, or to its last file. */
function fill(): void {
  for (let n = 0; ; n++) {
    try {
      writeFileSync(join(folder, `filler-${n}`), full === 'files' ? '' : Buffer.alloc(4_096));
    } catch (error) {
      return say({ filled: (error as NodeJS.ErrnoException).code });
    }
  }
}

const roles: Readonly<Record<string, () => Promise<void>>> = {
  async begin() {
    run('killed');
    const unnamed = join(root, `.new-${randomUUID()}`);
    mkdirSync(unnamed);
    utimesSync(unnamed, 1, 1);
    fill();
    run('full');
    if (full === 'files') for (let n = 0; n < 8; n++) rmSync(join(folder, `filler-${n}`));
    run('again');
  },
  async killed() {
    const { writer } = await open();
    await Promise.all([1, 2, 3].map(() => writer.record(record)));
    process.kill(process.pid, 'SIGKILL');
  },
  async full() {
    const opened = await open();
    const refused = await opened.writer.record(record).then(
      () => undefined,
      (error: Error) => error.message,
    );
    const drained = [];
    for (const producer of await opened.orphans()) {
      drained.push((await producer.next(100)).flatMap(({ entries }) => entries.map((one) => one.requests)));
      await producer.drop();
      await producer.remove();
    }
    const unready = await opened.writer.check().catch(({ message }: Error) => message);
    say({ unready });
    say({ refused, drained, left: readdirSync(root).filter((name) => name !== opened.own.producer) });
    await until('there is room', () => opened.writer.accepting);
    await opened.writer.record(record);
    say({ recorded: true });
    process.kill(process.pid, 'SIGKILL');
  },
  async again() {
    const opened = await open();
    const orphans = await opened.orphans();
    say({ orphans: orphans.length, accepting: opened.writer.accepting });
  },
};
await roles[role ?? '']?.();
