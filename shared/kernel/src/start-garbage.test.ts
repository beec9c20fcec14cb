import { expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';

const MIB = 2 ** 20;
/** The young generation grows while all of this is alive; then it is garbage. */
const SCRIPT = `
  const { collectStartGarbage } = await import('./start-garbage.ts');
  let kept = Array.from({ length: 500_000 }, (_, i) => ({ text: 'text ' + i }));
  kept = undefined;
  const before = process.memoryUsage().heapTotal;
  collectStartGarbage();
  console.log(JSON.stringify({ before, after: process.memoryUsage().heapTotal, gc: typeof globalThis.gc }));
`;

it('releases memory that is no longer used, and leaves no global gc behind', () => {
  const options = { cwd: import.meta.dirname, encoding: 'utf8' } as const;
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', SCRIPT], options);
  const { before, after, gc } = JSON.parse(printed) as { before: number; after: number; gc: string };
  expect(before).toBeGreaterThan(30 * MIB);
  expect(after).toBeLessThan(20 * MIB);
  expect(gc).toBe('undefined');
});
