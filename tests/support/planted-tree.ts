import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const CONFIGURATION = [
  '.dependency-cruiser.cjs',
  'oxlint.config.ts',
  'tsconfig.json',
  'knip.json',
  'package.json',
  'tools/lint/house.ts',
];

/** A small tree next to the repository, for runs of the repository's tools and rules. */
export interface PlantedTree {
  /** Runs a tool of the repository there. */
  run(tool: string, ...args: string[]): { status: number | null; output: string };
  remove(): void;
}

/** Plants files, by path, with copies of the repository's configuration. */
export function plant(files: Readonly<Record<string, string>>): PlantedTree {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-planted-'));
  for (const file of CONFIGURATION) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(ROOT, file), join(folder, file));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return {
    run(tool, ...args) {
      const command = join(ROOT, 'node_modules/.bin', tool);
      const result = spawnSync(command, args, { cwd: folder, encoding: 'utf8', timeout: 600_000 });
      return { status: result.status, output: result.stdout + result.stderr };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
