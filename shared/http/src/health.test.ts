import { expect, it } from '@jest/globals';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { withoutReasons } from './health.ts';
import { createHttpServer } from './server.ts';

const logger = createLogger({ name: 'test', level: 'silent' });
const there = { name: 'there', check: async () => 'yes' };
const gone = { name: 'gone', check: () => Promise.reject(new Error('10.0.0.1 is gone')) };

it('each part is needed that is of no group', async () => {
  const app = createHttpServer({ logger, lifecycle: createLifecycle(logger), checks: [there, gone] });
  expect((await app.inject('/readyz')).statusCode).toBe(503);
});

it('a reason is logged once, and shown to no caller', async () => {
  const lines: string[] = [];
  const own = createLogger({
    name: 'test',
    level: 'info',
    destination: { write: (line) => lines.push(line) },
  });
  let down = true;
  const check = async (): Promise<string> => (down ? gone.check() : 'back');
  const [part] = withoutReasons([{ name: 'node', check }], own);
  for (let n = 0; n < 2; n++) await expect(part!.check()).rejects.toThrow(/^not reachable$/);
  down = false;
  for (let n = 0; n < 2; n++) expect(await part!.check()).toBe('back');
  expect(lines).toEqual([
    expect.stringContaining('10.0.0.1 is gone'),
    expect.stringContaining('a dependency is available again'),
  ]);
});
