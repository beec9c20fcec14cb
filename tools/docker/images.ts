/**
 * The images that tests run: this repository's, built by deploy/Dockerfile, and those of the servers in
 * docker-compose.yml. Where none can be pulled, the base image and the servers are assembled here, under
 * their official names.
 */
import { createHash } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { install } from '../servers/install.ts';
import { RECIPES } from '../servers/recipes.ts';
import { docker, type Engine } from './engine.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const IMAGES = join(import.meta.dirname, 'images');
/** The ingredients of an assembled image; an image without this label was pulled. */
const LABEL = 'hindsight.assembled';
/** A package manager in a build has no other way out if the engine's bridge has none. */
const BUILD = ['build', '--quiet', '--network', 'host'];

/** The servers of docker-compose.yml, by the stage of images/Dockerfile that assembles each. */
const SERVER_IMAGES = {
  kafka: 'apache/kafka:4.1.1',
  mongodb: 'mongo:8.0.17',
  redis: 'redis:7.4.7-alpine',
} as const;

/** The image that deploy/Dockerfile builds on. */
export async function baseImage(): Promise<string> {
  const dockerfile = await readFile(join(ROOT, 'deploy/Dockerfile'), 'utf8');
  const [, name] = /^ARG NODE_IMAGE=(\S+)$/m.exec(dockerfile) ?? [];
  if (name === undefined) throw new Error('deploy/Dockerfile names no base image');
  return name;
}

async function provideBase(engine: Engine): Promise<void> {
  const name = await baseImage();
  if (engine.kind === 'given' && (await canPull(engine, name))) return;
  const folder = await install('base-image');
  if ((await labelOf(engine, name)) === basename(folder)) return;
  const changes = [`LABEL ${LABEL}=${basename(folder)}`, 'CMD ["node"]'];
  // Certificates of the machine's proxy, if it has one.
  changes.push('ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt');
  await docker(engine, [
    'import',
    ...changes.flatMap((change) => ['--change', change]),
    join(folder, 'rootfs.tar'),
    name,
  ]);
}

/**
 * Builds this repository's images from the work tree: `hindsight`, and `hindsight-devchain` with the Ethereum
 * node in it.
 */
export async function buildOwn(engine: Engine): Promise<void> {
  await provideBase(engine);
  const args = [...BUILD, '--file', 'deploy/Dockerfile'];
  // Every stage is named so that pruning nameless images keeps its layers.
  for (const target of ['manifests', 'packages', 'devchain-packages', 'devchain', 'client-packages'])
    await docker(engine, [...args, '--target', target, '--tag', `hindsight-${target}`, '.'], { cwd: ROOT });
  await docker(engine, [...args, '--tag', 'hindsight', '.'], { cwd: ROOT });
  if (engine.kind === 'own') await docker(engine, ['image', 'prune', '--force']);
}

/**
 * Makes sure that the engine has the servers' images.
 * @returns true if they were assembled: then MongoDB is the test server of its protocol, and no digest is
 * known
 */
export async function provideServers(engine: Engine): Promise<{ readonly assembled: boolean }> {
  if (engine.kind === 'given' && (await canPullAll(engine))) return { assembled: false };
  await provideBase(engine);
  const [kafka, mongodb] = [await install('kafka'), await install('mongodb')];
  const parts = [await hashOf(IMAGES), (await labelOf(engine, await baseImage())) ?? ''];
  const made = [...parts, basename(kafka), basename(mongodb)].join(' ');
  const label = createHash('sha256').update(made).digest('hex').slice(0, 16);
  const names = Object.entries(SERVER_IMAGES);
  const labels = await Promise.all(names.map(([, name]) => labelOf(engine, name)));
  if (labels.every((found) => found === label)) return { assembled: true };
  const context = await mkdtemp(join(tmpdir(), 'hindsight-images-'));
  try {
    await cp(IMAGES, context, { recursive: true });
    await cp(kafka, join(context, 'kafka'), { recursive: true });
    await cp(mongodb, join(context, 'mongodb'), { recursive: true });
    await cp(
      join(RECIPES.kafka.folder, 'log4j2.properties'),
      join(context, 'kafka-config/broker-log4j2.properties'),
    );
    for (const [stage, name] of names)
      await docker(engine, [
        ...BUILD,
        ...['--label', `${LABEL}=${label}`, '--target', stage, '--tag', name],
        context,
      ]);
  } finally {
    await rm(context, { recursive: true, force: true });
  }
  return { assembled: true };
}

async function canPullAll(engine: Engine): Promise<boolean> {
  for (const name of Object.values(SERVER_IMAGES)) if (!(await canPull(engine, name))) return false;
  return true;
}

/** True if the engine has a pulled image, or can pull it now. */
async function canPull(engine: Engine, name: string): Promise<boolean> {
  if ((await labelOf(engine, name)) === '') return true;
  return docker(engine, ['pull', '--quiet', name]).then(
    () => true,
    () => false,
  );
}

/** The ingredients of an assembled image; empty if it was pulled, undefined if it is missing. */
async function labelOf(engine: Engine, name: string): Promise<string | undefined> {
  const format = `{{with .Config.Labels}}{{index . "${LABEL}"}}{{end}}`;
  return docker(engine, ['image', 'inspect', '--format', format, name]).catch(() => undefined);
}

async function hashOf(folder: string): Promise<string> {
  const hash = createHash('sha256');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const file of files.sort()) hash.update(file.slice(folder.length)).update(await readFile(file));
  return hash.digest('hex');
}
