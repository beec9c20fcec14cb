import { describe, expect, it } from '@jest/globals';
import { areRequired, findNative, findShared, type Probes } from '../../servers/find.ts';
import type { RecipeName } from '../../servers/recipes.ts';

/** A machine with these commands and installations. */
function machine(has: {
  docker?: boolean;
  pullFault?: string;
  commands?: string[];
  installed?: RecipeName[];
}): Probes {
  return {
    dockerAnswers: () => Promise.resolve(has.docker ?? false),
    imageFault: () => Promise.resolve(has.pullFault),
    has: (command) => Promise.resolve((has.commands ?? []).includes(command)),
    isInstalled: (name) => Promise.resolve((has.installed ?? []).includes(name)),
  };
}

const everything = { docker: true, commands: ['java', 'javac', 'mvn', 'redis-server', 'go'] };
const ADDRESSES = [
  { name: 'kafka', variable: 'KAFKA_BROKERS', address: '10.0.0.1:9092,10.0.0.2:9092' },
  { name: 'mongodb', variable: 'MONGODB_URL', address: 'mongodb://10.0.0.1:27017' },
  { name: 'redis', variable: 'REDIS_URL', address: 'redis://10.0.0.1:6379' },
] as const;

describe('where a shared server comes from', () => {
  it.each(ADDRESSES)('$name: from $variable before all else', async ({ name, variable, address }) => {
    const found = await findShared(name, { [variable]: address }, machine(everything));
    expect(found).toEqual({ kind: 'environment', address });
  });

  it.each(ADDRESSES)('$name: an empty $variable counts as not set', async ({ name, variable }) => {
    expect(await findShared(name, { [variable]: ' ' }, machine(everything))).toEqual({ kind: 'docker' });
  });

  it.each(ADDRESSES)('$name: from a container where an engine answers', async ({ name }) => {
    expect(await findShared(name, {}, machine(everything))).toEqual({ kind: 'docker' });
  });

  it.each(ADDRESSES)('$name: natively, saying why, where the engine can pull no image', async ({ name }) => {
    const there = machine({ ...everything, pullFault: 'no way out' });
    expect(await findShared(name, {}, there)).toEqual({ kind: 'native', instead: 'no way out' });
    const bare = machine({ docker: true, pullFault: 'no way out' });
    expect(await findShared(name, {}, bare)).toMatchObject({
      kind: 'absent',
      why: expect.stringMatching(/no way out, and a native \w+ needs/),
    });
  });

  it.each(ADDRESSES)('$name: natively where the commands are there', async ({ name }) => {
    expect(await findShared(name, {}, machine({ ...everything, docker: false }))).toEqual({ kind: 'native' });
  });

  it.each(ADDRESSES)('$name: from nowhere, and it says what would help', async ({ name, variable }) => {
    const found = await findShared(name, {}, machine({}));
    expect(found).toMatchObject({ kind: 'absent', why: expect.stringContaining(variable) });
    expect(found).toMatchObject({
      why: expect.stringMatching(/no Docker engine answers, and a native \w+ needs/),
    });
  });

  it('decides for each server by itself', async () => {
    const env = { REDIS_URL: 'redis://10.0.0.1' };
    const there = machine({ commands: ['java', 'mvn'] });
    expect(await findShared('redis', env, there)).toMatchObject({ kind: 'environment' });
    expect(await findShared('kafka', env, there)).toMatchObject({ kind: 'native' });
  });
});

describe('whether a suite can have a native server of its own', () => {
  it.each([
    ['kafka', ['java', 'mvn']],
    ['mongodb', ['java', 'mvn', 'javac']],
    ['redis', ['redis-server']],
    ['toxiproxy', ['go']],
    ['geth', ['go']],
    ['geth-1.17', ['go']],
  ] as const)('%s needs %j', async (name, commands) => {
    expect(await findNative(name, machine({ commands: [...commands] }))).toEqual({ kind: 'native' });
    for (const missing of commands) {
      const rest = commands.filter((command) => command !== missing);
      const found = await findNative(name, machine({ commands: rest }));
      expect(found).toEqual({ kind: 'absent', why: `a native ${name} needs ${missing} on the path` });
    }
  });

  it('needs no tools of installation for what is installed', async () => {
    expect(await findNative('geth', machine({ installed: ['geth'] }))).toEqual({ kind: 'native' });
    const kafka = machine({ commands: ['java'], installed: ['kafka'] });
    expect(await findNative('kafka', kafka)).toEqual({ kind: 'native' });
  });
});

describe('REQUIRE_SERVERS', () => {
  it('makes absence a failure when it is 1', () => {
    expect(areRequired({ REQUIRE_SERVERS: '1' })).toBe(true);
    expect(areRequired({ REQUIRE_SERVERS: '' })).toBe(false);
    expect(areRequired({})).toBe(false);
  });
});
