import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installRecipe, recipeVersion } from '../../servers/install.ts';
import { type Recipe, RECIPES } from '../../servers/recipes.ts';

describe('installing a server', () => {
  let folder: string;
  let cache: string;
  const said: string[] = [];
  const progress = (line: string): void => void said.push(line);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hindsight-install-'));
    cache = join(folder, 'cache');
    await writeFile(join(folder, 'recipe'), 'version 1.2.3');
    said.length = 0;
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const recipe = (script: string): Recipe => ({
    name: 'thing',
    doing: 'makes it',
    folder,
    versionFile: 'recipe',
    version: /version (\S+)/,
    files: ['recipe'],
    steps: [{ command: 'sh', args: ['-c', script, 'sh', '{out}'] }],
  });

  it('fills a folder named by name, version and recipe, and says so', async () => {
    const made = await installRecipe(recipe('echo made > "$1/it"'), cache, progress);
    expect(made).toMatch(/cache\/thing-1\.2\.3-[0-9a-f]{8}$/);
    expect(await readFile(join(made, 'it'), 'utf8')).toBe('made\n');
    expect(said).toEqual([
      expect.stringContaining('thing 1.2.3: makes it'),
      expect.stringContaining('thing is in'),
    ]);
  });

  it('does nothing when it is there', async () => {
    const counted = recipe('echo run >> runs');
    const first = await installRecipe(counted, cache, progress);
    expect(await installRecipe(counted, cache, progress)).toBe(first);
    expect(await readFile(join(folder, 'runs'), 'utf8')).toBe('run\n');
  });

  it('works once when several ask at once', async () => {
    const slow = recipe('echo run >> runs; sleep 0.3; echo made > "$1/it"');
    const folders = await Promise.all([1, 2, 3, 4].map(() => installRecipe(slow, cache, progress)));
    expect(new Set(folders).size).toBe(1);
    expect(await readFile(join(folder, 'runs'), 'utf8')).toBe('run\n');
    expect(await readdir(cache)).toHaveLength(1);
  });

  it('reinstalls when the recipe has changed', async () => {
    const before = await installRecipe(recipe('true'), cache, progress);
    await writeFile(join(folder, 'recipe'), 'version 1.2.3 with more');
    expect(await installRecipe(recipe('true'), cache, progress)).not.toBe(before);
  });

  it('leaves nothing behind when a step fails, and shows its last words', async () => {
    const failing = recipe('echo half > "$1/it"; echo "no route to the registry" >&2; exit 3');
    await expect(installRecipe(failing, cache, progress)).rejects.toThrow('no route to the registry');
    expect(await readdir(cache)).toEqual([]);
  });

  it('tries a failed step once more', async () => {
    const flaky = recipe('[ -e tried ] && exit 0; touch tried; exit 1');
    await expect(installRecipe(flaky, cache, progress)).resolves.toContain('thing');
  });

  it('clears away what a killed installation has left, and does not count it', async () => {
    const made = await installRecipe(recipe('true'), cache, progress);
    await rm(made, { recursive: true });
    await mkdir(`${made}.half-x`);
    await installRecipe(recipe('true'), cache, progress);
    expect(await readdir(cache)).toEqual([made.slice(cache.length + 1)]);
  });
});

describe('the recipe of Compose', () => {
  it("takes the plugin of the machine's own Docker where it has one", async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hindsight-compose-'));
    try {
      await writeFile(join(folder, 'docker'), '#!/bin/sh\necho "docker $*"\n', { mode: 0o755 });
      const env = { PATH: `${folder}:/usr/bin:/bin` };
      execFileSync(join(RECIPES.compose.folder, 'fetch'), [folder], { env });
      const said = execFileSync(join(folder, 'compose'), ['up', '--file', 'a b'], { env, encoding: 'utf8' });
      expect(said).toBe('docker compose up --file a b\n');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('the recipes', () => {
  it.each(Object.values(RECIPES))('$name names one exact version', async ({ name }) => {
    expect(await recipeVersion(name)).toMatch(/^\d+\.\d+\.\d+$/);
  });
});
