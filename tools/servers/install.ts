/**
 * Puts servers into a cache folder outside the checkout. A folder there is either whole or absent: it is
 * filled under another name and renamed at the end. Of two processes, one works and the other waits for it.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { lock } from 'proper-lockfile';
import { type Recipe, RECIPES, type RecipeName } from './recipes.ts';

/**
 * Ends an installation that hangs: the longest, an API server of Kubernetes, takes a quarter of an hour on
 * two busy cores.
 */
const STEP_WITHIN_MS = 40 * 60_000;
const STEP_ATTEMPTS = 2;
const OUTPUT_LIMIT = 8 * 1024 * 1024;
const TAIL = 2_000;
/** Age at which another process takes over the lock of a dead holder; a live one renews it. */
const LOCK_STALE_MS = 30_000;
const LOCK_RETRY_MS = 500;
const HALF = '.half-';
/** Without cgo no C compiler is needed. Go's own runs hundreds of times for a second each: collecting garbage does not pay. */
const GO_SETTINGS = ['CGO_ENABLED=0', 'GOGC=off', 'GOMEMLIMIT=1GiB'];

const run = promisify(execFile);

/** Receives progress messages for people. */
type Progress = (line: string) => void;

/** Default folder of downloads and builds. */
export function defaultCache(): string {
  return join(homedir(), '.cache', 'hindsight');
}

/** The folder of a server in the cache, present or not. */
export function installedFolder(name: RecipeName, cache = defaultCache()): Promise<string> {
  return folderOf(RECIPES[name], cache);
}

/** Name, version and a hash of the recipe: a changed recipe never meets an old installation. */
async function folderOf(recipe: Recipe, cache: string): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(recipe.steps));
  for (const file of recipe.files) hash.update(await readFile(join(recipe.folder, file)));
  return join(cache, `${recipe.name}-${await versionOf(recipe)}-${hash.digest('hex').slice(0, 8)}`);
}

/** The version that a recipe's own file names. */
export function recipeVersion(name: RecipeName): Promise<string> {
  return versionOf(RECIPES[name]);
}

async function versionOf(recipe: Recipe): Promise<string> {
  const found = recipe.version.exec(await readFile(join(recipe.folder, recipe.versionFile), 'utf8'))?.[1];
  if (found === undefined) throw new Error(`${recipe.versionFile} of ${recipe.name} names no version`);
  return found;
}

/** True if a server is in the cache, whole. */
export async function isInstalled(name: RecipeName, cache = defaultCache()): Promise<boolean> {
  return exists(await installedFolder(name, cache));
}

/**
 * Installs a server unless it is there, and returns its folder.
 * @throws with the last output of the step that failed.
 */
export function install(name: RecipeName, cache = defaultCache()): Promise<string> {
  return installRecipe(RECIPES[name], cache, toStderr);
}

/** `install` for any recipe; `progress` receives its messages. */
export async function installRecipe(recipe: Recipe, cache: string, progress: Progress): Promise<string> {
  const folder = await folderOf(recipe, cache);
  if (await exists(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const unlock = await lock(folder, {
    realpath: false,
    stale: LOCK_STALE_MS,
    retries: { retries: (2 * STEP_WITHIN_MS) / LOCK_RETRY_MS, factor: 1, minTimeout: LOCK_RETRY_MS },
  });
  try {
    // Another process may have done it while this one waited.
    if (!(await exists(folder))) await fill(recipe, folder, progress);
  } finally {
    await unlock();
  }
  return folder;
}

async function fill(recipe: Recipe, folder: string, progress: Progress): Promise<void> {
  const started = Date.now();
  progress(`servers: ${recipe.name} ${await versionOf(recipe)}: ${recipe.doing} …`);
  await removeHalves(folder);
  const half = await mkdtemp(`${folder}${HALF}`);
  try {
    for (const step of recipe.steps) {
      const args = step.args.map((arg) => arg.replaceAll('{out}', half));
      await runStep(step.command, args, recipe.folder);
    }
    await rename(half, folder);
  } catch (error) {
    await rm(half, { recursive: true, force: true });
    throw new Error(`${recipe.name} could not be installed: ${(error as Error).message}`, { cause: error });
  }
  progress(`servers: ${recipe.name} is in ${folder} after ${Math.round((Date.now() - started) / 1000)} s`);
}

/** Removes leftovers of killed installations. */
async function removeHalves(folder: string): Promise<void> {
  const cache = dirname(folder);
  const halves = (await readdir(cache)).filter((name) => name.startsWith(`${basename(folder)}${HALF}`));
  await Promise.all(halves.map((name) => rm(join(cache, name), { recursive: true, force: true })));
}

/** Runs a command, and a second time if it fails: a registry may hiccup. */
async function runStep(command: string, args: readonly string[], cwd: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      // Set by `env`: this process's own environment is left alone.
      const line = [...GO_SETTINGS, command, ...args];
      await run('env', line, {
        cwd,
        timeout: STEP_WITHIN_MS,
        maxBuffer: OUTPUT_LIMIT,
        killSignal: 'SIGKILL',
      });
      return;
    } catch (error) {
      if (attempt < STEP_ATTEMPTS) continue;
      const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
      const output = `${stdout}\n${stderr}`.trim().slice(-TAIL);
      throw new Error(`${command} failed: ${output || message}`, { cause: error });
    }
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function toStderr(line: string): void {
  process.stderr.write(`${line}\n`);
}
