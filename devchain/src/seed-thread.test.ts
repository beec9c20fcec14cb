import { expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';

/** The thread is given an address that leads nowhere; before it ends it says whether it has loaded Node's own undici. */
const PROGRAM = `
  import { Worker } from 'node:worker_threads';
  const tell = 'process.once("uncaughtExceptionMonitor", ({ message }) => process._rawDebug(message, ' +
    'process.moduleLoadList.includes("NativeModule internal/deps/undici/undici")))';
  const execArgv = ['--import', 'data:text/javascript,' + encodeURIComponent(tell)];
  const thread = new Worker(new URL('./seed-thread.main.js', import.meta.url), { execArgv });
  thread.once('error', () => undefined).postMessage('http://127.0.0.1:1');
`;

it('keeps Node’s own undici out of the thread, with all that plays the plan loaded', () => {
  const program = PROGRAM.replace('import.meta.url', JSON.stringify(import.meta.url));
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  });
  expect(stderr).toContain('connect ECONNREFUSED 127.0.0.1:1 false');
});
