import { expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';

/** Exit code of a process whose start is this code, and whether it has logged a failure as its end. */
function endOf(start: string) {
  const program = `
    import { createLogger } from './logger.ts';
    import { runProcess } from './process.ts';
    setInterval(() => undefined, 1_000);
    const logger = createLogger({ name: 'test', level: 'info' });
    await runProcess({}, () => ({ logger, drainMs: 0, async start(lifecycle) { ${start} } }));
  `;
  const args = ['--input-type=module', '--eval', program];
  const { status: code, stdout } = spawnSync(process.execPath, args, {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  return { code, isFatal: stdout.includes('"level":"fatal"') };
}

/** A part whose stop lasts until an uncaught exception was seen. */
const thrownInStop = (fault: string): string => `
  lifecycle.onStop('part', async () => {
    const seen = new Promise((done) => process.once('uncaughtExceptionMonitor', () => setImmediate(done)));
    setImmediate(() => ${fault});
    await seen;
  });
  process.emit('SIGTERM');
`;

it.each([
  ['a stop', "process.emit('SIGTERM');", 0],
  ['a start that fails', "throw new Error('fault');", 1],
  ['a start that a stop has cut short', "process.emit('SIGTERM'); throw new Error('closed');", 0],
  ['a stop with an uncaught exception', thrownInStop("{ throw new Error('fault'); }"), 1],
  ['a stop with an unhandled rejection', thrownInStop("void Promise.reject(new Error('fault'))"), 1],
])('%s ends a process with its code, and only a failure is fatal', (_name, start, code) => {
  expect(endOf(start)).toEqual({ code, isFatal: code !== 0 });
});
