import { expect, it } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';

/** Prints the parts of a process that a suite may leave changed: before it, while it runs, and after it. */
const PROGRAM = `
  import Environment from './environment.ts';
  const settings = { projectConfig: { fakeTimers: {} } };
  // What it loads, Node's own modules among it, changes the process once and for all.
  new Environment(settings);
  const own = () => {};
  process.on('SIGUSR2', own);
  const { exit, cwd, chdir } = process;
  const now = Date.now;
  const folder = process.cwd();
  Object.assign(process.env, { KEPT: 'before', CHANGED: 'before' });
  process.exitCode = 0;
  const state = () => ({
    variables: [process.env.KEPT, process.env.CHANGED, process.env.NEW],
    isOwnFolder: process.cwd() === folder,
    exitCode: process.exitCode,
    globals: [typeof globalThis.added, typeof fetch],
    isClockReal: Date.now === now,
    isExitReal: process.exit === exit,
    isFolderReal: process.cwd === cwd && process.chdir === chdir,
    isSpied: 'mock' in JSON.parse,
    listeners: process.listenerCount('SIGUSR2'),
  });
  const before = state();
  const environment = new Environment(settings);
  environment.fakeTimersModern.useFakeTimers();
  environment.moduleMocker.spyOn(JSON, 'parse');
  process.chdir('/');
  delete process.env.KEPT;
  Object.assign(process.env, { CHANGED: 'by a suite', NEW: 'of a suite' });
  process.exitCode = 1;
  process.exit = () => {};
  process.cwd = () => '/';
  process.chdir = () => {};
  process.on('SIGUSR2', () => {});
  globalThis.added = 1;
  globalThis.fetch = undefined;
  const changed = state();
  await environment.teardown();
  console.log(JSON.stringify({ before, changed, after: state() }));
`;

function run(flags: readonly string[], program: string): Parameters<typeof execFileSync> {
  const all = ['--disable-warning=ExperimentalWarning', ...flags, '--input-type=module', '--eval', program];
  return [process.execPath, all, { cwd: import.meta.dirname, encoding: 'utf8' }];
}

it('a suite leaves its process as it was', () => {
  const printed = execFileSync(...run(['--experimental-vm-modules'], PROGRAM)) as string;
  const { before, changed, after } = JSON.parse(printed) as Record<string, Record<string, unknown>>;
  for (const [name, value] of Object.entries(before ?? {}))
    expect([name, changed?.[name]]).not.toEqual([name, value]);
  expect(after).toEqual(before);
});

it('jest without the flags of `npm test` is refused with the command to use', () => {
  const [node, flags, options] = run([], "await import('./environment.ts')");
  expect(spawnSync(node, flags as string[], options).stderr).toContain('Run tests by `npm test -- FILE`');
});
