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
    intervals: process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length,
  });
  const before = state();
  const environment = new Environment(settings);
  setInterval(() => {}, 1_000);
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

/** Prints how many timers requests leave on a suite's own clock. */
const REQUESTS = `
  import { createRequire } from 'node:module';
  import Environment from './environment.ts';
  const { setFastTimeout } = createRequire(import.meta.url)('undici/lib/util/timers.js');
  const { fakeTimersModern } = new Environment({ projectConfig: { fakeTimers: {} } });
  fakeTimersModern.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  setFastTimeout(() => {}, 10_000);
  await fetch('http://127.0.0.1:2').catch(() => {});
  console.log(fakeTimersModern.getTimerCount());
  process.exit();
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

it('limits of requests are not kept by the clock of a suite, on which they would never pass', () => {
  expect(execFileSync(...run(['--experimental-vm-modules'], REQUESTS))).toBe('0\n');
});

it('jest without the flags of `npm test` is refused with the command to use', () => {
  const [node, flags, options] = run([], "await import('./environment.ts')");
  expect(spawnSync(node, flags as string[], options).stderr).toContain('Run tests by `npm test -- FILE`');
});
