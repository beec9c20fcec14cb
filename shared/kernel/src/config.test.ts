import { describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { z } from 'zod';
import {
  choice,
  ConfigError,
  integer,
  keyText,
  load,
  optionalAddressList,
  optionalCertificates,
  optionalChoice,
  optionalConnectionString,
  optionalHostList,
  optionalSecretList,
  optionalSiteUrl,
  optionalText,
  optionalUrlList,
  port,
  requiredText,
  requiredUrl,
  text,
  toggle,
} from './config.ts';
import { redisUrl } from './service-settings.ts';

const SETTINGS = {
  HOST: text('the address to listen on', '127.0.0.1'),
  PORT: port('the port to listen on', 8080),
  TIMEOUT_MS: integer('milliseconds', { min: 50, max: 1000, default: 100 }),
  LEVEL: choice('how much is logged', ['info', 'debug'], 'info'),
  SECRETS_KEY: requiredText('at least 16 characters', { secret: true, minLength: 16 }),
  SMTP_PASSWORD: optionalText('the password', { secret: true }),
  SERVICE_URL: requiredUrl('where the service is', ['http:']),
  NODES: optionalUrlList('URLs of nodes', ['http:', 'https:']),
  MORE_NODES: optionalUrlList('more URLs', ['http:']),
  DEMO_KEY: keyText('the demo key', (value) => value.startsWith('hs_')),
};

const RIGHT = {
  SECRETS_KEY: 'sixteen characters and more',
  SERVICE_URL: 'http://service:1',
  NODES: 'http://one:8545, https://user:pass@two/v3/token',
};

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    load(SETTINGS, { ...RIGHT, ...env });
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('configuration', () => {
  it('uses what is set, and defaults for the rest', () => {
    expect(load(SETTINGS, { ...RIGHT, PORT: '0', LEVEL: 'debug' })).toEqual({
      HOST: '127.0.0.1',
      PORT: 0,
      TIMEOUT_MS: 100,
      LEVEL: 'debug',
      SECRETS_KEY: RIGHT.SECRETS_KEY,
      SMTP_PASSWORD: undefined,
      SERVICE_URL: 'http://service:1',
      NODES: ['http://one:8545', 'https://user:pass@two/v3/token'],
      MORE_NODES: undefined,
      DEMO_KEY: undefined,
    });
  });

  it('treats an empty or blank variable as not set', () => {
    const config = load(SETTINGS, { ...RIGHT, PORT: '', HOST: '  ' });
    expect([config.PORT, config.HOST]).toEqual([8080, '127.0.0.1']);
  });

  it('shows a hundred characters of a wrong value', () => {
    expect(faultsOf({ LEVEL: 'x'.repeat(500) })).toEqual([
      `LEVEL is "${'x'.repeat(100)}…": expected one of info, debug`,
    ]);
  });

  it('asks nothing of a list that has its default', () => {
    const items = z
      .string()
      .optional()
      .transform((value = '') => value.split(','));
    const settings = {
      LIST: { about: 'a list', schema: items, needs: ['OTHER'] },
      OTHER: optionalText('other'),
    };
    expect(load(settings, {}).LIST).toEqual(['']);
    expect(() => load(settings, { LIST: 'a' })).toThrow('LIST is set: it needs OTHER');
  });

  it('is frozen', () => {
    const config = load(SETTINGS, RIGHT) as { PORT: number };
    expect(() => (config.PORT = 1)).toThrow(TypeError);
  });

  it('reports every fault at once', () => {
    expect(() => load(SETTINGS, { PORT: '99999', LEVEL: 'loud' })).toThrow(
      [
        'The configuration has 4 faults:',
        '  - PORT is "99999": expected a whole number from 0 to 65535',
        '  - LEVEL is "loud": expected one of info, debug',
        '  - SECRETS_KEY is not set: at least 16 characters',
        '  - SERVICE_URL is not set: where the service is; beginning with http://',
      ].join('\n'),
    );
  });

  it.each([
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['PORT', '0x50'],
    ['PORT', 'eighty'],
    ['PORT', '1'.repeat(400)],
    ['TIMEOUT_MS', '49'],
    ['TIMEOUT_MS', '1001'],
    ['LEVEL', 'INFO'],
    ['HOST', 'h'.repeat(5000)],
    ['SECRETS_KEY', 'short'],
    ['SERVICE_URL', 'not a url'],
    ['SERVICE_URL', 'https://service'],
    ['NODES', 'http://one, ftp://two'],
    ['NODES', ','],
    ['MORE_NODES', 'https://one'],
    ['DEMO_KEY', 'demo'],
  ])('refuses %s=%s, and names it', (name, value) => {
    expect(faultsOf({ [name]: value })).toEqual([expect.stringMatching(new RegExp(`^${name} is `))]);
  });

  it.each([
    ['SECRETS_KEY', 'tooshortsecret'],
    ['NODES', 'ftp://user:hunter2@node/v3/apitoken'],
    ['DEMO_KEY', 'hunter2'],
  ])('never shows the value of the secret %s', (name, value) => {
    const [fault = ''] = faultsOf({ [name]: value });
    expect(fault).toContain('(secret)');
    expect(fault).not.toContain(value);
    expect(fault).not.toMatch(/hunter2|apitoken/);
  });
});

describe('credentials in a URL that cannot be read', () => {
  it.each([
    ['SERVICE_URL', 'http://me:100%@service'],
    ['NODES', 'http://one, https://me%zz:hunter2@two'],
    ['NODES', 'https://me:hunter2%ff@two'],
    ['MORE_NODES', 'http://me:hunter2%@one'],
  ])('are refused with a hint how to write them: %s=%s', (name, value) => {
    expect(faultsOf({ [name]: value })).toEqual([
      expect.stringMatching(new RegExp(`^${name} is \\(secret\\): .*%25`)),
    ]);
    expect(faultsOf({ [name]: value }).join()).not.toMatch(/me:|hunter2|100%|zz/);
  });

  it('are not the concern of a % in a path', () => {
    const url = 'http://me:100%25@one/50%/of?share=50%';
    expect(load(SETTINGS, { ...RIGHT, NODES: url }).NODES).toEqual([url]);
  });
});

describe('the URL of a whole site', () => {
  const SITE = { SITE_URL: optionalSiteUrl('where the site is') };

  it('may end with slashes', () => {
    expect(load(SITE, { SITE_URL: 'https://host.example//' }).SITE_URL).toBe('https://host.example');
  });

  it('has 2,000 characters at the most', () => {
    expect(() => load(SITE, { SITE_URL: `https://${'x.'.repeat(1_000)}example` })).toThrow('SITE_URL');
  });

  it.each([
    'https://host.example/below',
    'https://host.example\\below',
    'https://host.example?x',
    'host.example',
  ])('has no path or query: %s', (url) => {
    expect(() => load(SITE, { SITE_URL: url })).toThrow('SITE_URL');
  });
});

describe('settings of production parts', () => {
  const PARTS = {
    MONGODB_URL: optionalConnectionString('where MongoDB is', ['mongodb', 'mongodb+srv']),
    REDIS_URL: redisUrl('where Redis is'),
    KAFKA_BROKERS: optionalHostList('where Kafka is'),
    PROXIES: optionalAddressList('the proxies'),
    FORMER: optionalSecretList('former secrets', 16),
  };
  const faultsWith = (env: Record<string, string>): string => {
    try {
      load(PARTS, env);
      return '';
    } catch (error) {
      return (error as ConfigError).message;
    }
  };

  it('may be absent', () => {
    expect(Object.values(load(PARTS, {}))).toEqual(Array.from({ length: 5 }));
  });

  it.each([
    'mongodb://127.0.0.1:27017',
    'mongodb://me:secret@a:1,b:2,c:3/hindsight?replicaSet=rs0',
    'mongodb://me:se,cr:et@a:1,b:2?appName=one@two',
    'mongodb://[::1]:27017,[::1]:27018/hindsight',
    'mongodb://%2Ftmp%2Fmongodb.sock/hindsight',
    'mongodb+srv://cluster.example/hindsight',
  ])('accept a connection string: %s', (url) => {
    expect(load(PARTS, { MONGODB_URL: url }).MONGODB_URL).toBe(url);
  });

  it('refuse a connection string of more than 4096 characters', () => {
    const url = `mongodb://a/${'x'.repeat(4_084)}`;
    expect(load(PARTS, { MONGODB_URL: url }).MONGODB_URL).toHaveLength(4_096);
    expect(faultsWith({ MONGODB_URL: `${url}x` })).toContain('MONGODB_URL is (secret)');
  });

  it.each(['a:1', 'http://me:secret@a', 'mongodb://', 'mongodb://a b', 'postgres://me:secret@a/x'])(
    'refuse what is not one, without quoting it: %s',
    (url) => {
      const message = faultsWith({ MONGODB_URL: url });
      expect(message).toContain('MONGODB_URL is (secret): where MongoDB is; beginning with mongodb://');
      expect(message).not.toContain('me:secret');
    },
  );

  it.each([
    ['MONGODB_URL', 'mongodb://me:100%@a:1'],
    ['MONGODB_URL', 'mongodb://me:secret@a:1/data%zz'],
    ['MONGODB_URL', 'mongodb://me:hunt/er2@a:1,b:2/data'],
    ['MONGODB_URL', 'mongodb://me:hunt?er2@a:1,b:2/data'],
    ['REDIS_URL', 'redis://me:hunt/er2@a:1'],
    ['REDIS_URL', 'rediss://:hunt#er2@a:1'],
    ['REDIS_URL', 'redis://a:65536'],
  ])('refuse what cannot be read, with a hint how to write it: %s=%s', (name, url) => {
    const message = faultsWith({ [name]: url });
    expect(message).toMatch(new RegExp(`${name} is \\(secret\\): .*%25`));
    expect(message).not.toMatch(/me:|hunt|er2|data/);
  });

  it.each(['0.0.0.0/0', '::/0', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '*'])(
    'refuse proxies everywhere: %s',
    (range) => {
      expect(faultsWith({ PROXIES: `10.0.0.0/8,${range}` })).toContain('IP addresses or CIDR ranges');
    },
  );

  it('split hosts and secrets', () => {
    const config = load(PARTS, {
      KAFKA_BROKERS: 'one:9092, [::1]:9093',
      FORMER: 'the first former secret, the second former secret',
    });
    expect(config.KAFKA_BROKERS).toEqual(['one:9092', '[::1]:9093']);
    expect(config.FORMER).toEqual(['the first former secret', 'the second former secret']);
  });

  it('refuse hosts without a port, and short secrets without showing them', () => {
    for (const hosts of ['one:9092,two', 'one:0', 'one:65536'])
      expect(faultsWith({ KAFKA_BROKERS: hosts })).toContain('host:port');
    const message = faultsWith({ FORMER: 'long enough to be one,short-one' });
    expect(message).toContain('FORMER is (secret)');
    expect(message).not.toContain('short-one');
    expect(faultsWith({ FORMER: 'x'.repeat(4_096) })).toBe('');
    expect(faultsWith({ FORMER: 'x'.repeat(4_097) })).toContain('FORMER is (secret)');
  });
});

describe('settings that need each other', () => {
  const TOGETHER = {
    TLS: toggle('encrypted or not'),
    CA_FILE: { ...optionalCertificates('authorities'), needs: ['TLS'] },
    MECHANISM: { ...optionalChoice('how', ['plain', 'scram']), needs: ['NAME', 'PASSWORD'] },
    NAME: { ...optionalText('who'), needs: ['MECHANISM'] },
    PASSWORD: { ...optionalText('the password', { secret: true }), needs: ['MECHANISM'] },
  };
  const NOWHERE = `${import.meta.dirname}/no-such-file`;
  const faults = (env: Record<string, string>): readonly string[] => {
    try {
      load(TOGETHER, env);
    } catch (error) {
      return (error as ConfigError).faults;
    }
    return [];
  };

  it('list the words that they accept, for the table of settings', () => {
    expect([TOGETHER.TLS.about, TOGETHER.MECHANISM.about]).toEqual([
      'encrypted or not: on, off',
      'how: plain, scram',
    ]);
  });

  it('are taken together, and may all be absent', () => {
    expect(load(TOGETHER, {})).toMatchObject({ TLS: false, CA_FILE: undefined, MECHANISM: undefined });
    const all = { TLS: 'on', MECHANISM: 'plain', NAME: 'me', PASSWORD: 'hidden' };
    expect(load(TOGETHER, all)).toMatchObject({ ...all, TLS: true });
    for (const [word, is] of [
      ['true', true],
      ['off', false],
      ['false', false],
    ] as const)
      expect(load(TOGETHER, { TLS: word }).TLS).toBe(is);
  });

  it('name all that is missing, and show no secret', () => {
    expect(faults({ MECHANISM: 'plain' })).toEqual([
      'MECHANISM is set: it needs NAME',
      'MECHANISM is set: it needs PASSWORD',
    ]);
    expect(faults({ PASSWORD: 'hidden', TLS: 'maybe' })).toEqual([
      'TLS is "maybe": expected one of on, off, true, false',
      'PASSWORD is set: it needs MECHANISM',
    ]);
    // A fault hides the complaint that something is missing.
    expect(faults({ MECHANISM: 'none', NAME: 'me', PASSWORD: 'hidden' })).toEqual([
      'MECHANISM is "none": expected one of plain, scram',
    ]);
  });

  it('read a file of certificates once, and say why one cannot be read', () => {
    const { filename } = import.meta;
    expect(faults({ TLS: 'on', CA_FILE: NOWHERE })).toEqual([
      `CA_FILE is "${NOWHERE}": the file cannot be read (ENOENT)`,
    ]);
    expect(faults({ TLS: 'on', CA_FILE: filename })).toEqual([
      `CA_FILE is ${JSON.stringify(filename)}: the file holds no PEM certificate`,
    ]);
    const [authority = ''] = rootCertificates;
    const folder = mkdtempSync(join(tmpdir(), 'hindsight-config-'));
    const path = join(folder, 'ca.pem');
    writeFileSync(path, authority);
    expect(load(TOGETHER, { TLS: 'on', CA_FILE: path }).CA_FILE).toBe(authority);
    for (const env of [{ CA_FILE: path }, { CA_FILE: path, TLS: 'off' }])
      expect(faults(env)).toEqual(['CA_FILE is set: it needs TLS']);
    rmSync(folder, { recursive: true });
  });
});
