/**
 * `npm run upgrade -- --from v0.1.0 [--only stack|folder]`: upgrades an installation of another version to this one under
 * load, and back again, and compares what clients saw with what was counted and published. See docs/operations/upgrade.md.
 */
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { upgradeFolder } from './folder.ts';
import { installTree } from './other-tree.ts';
import { tableOf, type Report } from './report.ts';
import { upgradeStack } from './stack.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const STOP_WITHIN_MS = 45_000;
const MACHINE = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'TZ', 'NODE_COMPILE_CACHE', 'JDK_JAVA_OPTIONS'];

const { values } = parseArgs({ options: { from: { type: 'string' }, only: { type: 'string' } } });
const { from, only } = values;
if (from === undefined || (only !== undefined && only !== 'stack' && only !== 'folder')) {
  console.error('npm run upgrade -- --from <tag or commit> [--only stack|folder]');
  process.exit(2);
}
const say = (line: string): void => console.log(`[${process.uptime().toFixed(0).padStart(4)} s] ${line}`);
const lifecycle = createLifecycle(createLogger({ name: 'upgrade', level: 'warn' }), STOP_WITHIN_MS);
const machine = Object.fromEntries(
  MACHINE.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void lifecycle.shutdown(signal).then(() => process.exit(130)));
const faults: string[] = [];
try {
  const folder = await installTree(ROOT, from, say);
  lifecycle.onStop('the other version', () => rm(folder, { recursive: true, force: true }));
  const trees = { old: folder, new: ROOT };
  const runs = { stack: upgradeStack, folder: upgradeFolder };
  for (const [name, run] of Object.entries(runs)) {
    if (only !== undefined && only !== name) continue;
    const report: Report = await run({ trees, machine, lifecycle, say });
    console.log(`\n${tableOf(report)}\n`);
    faults.push(...report.faults);
  }
} finally {
  await lifecycle.shutdown('done');
}
for (const fault of faults) console.error(`FAULT: ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;
