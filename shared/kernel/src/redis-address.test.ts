import { describe, expect, it } from '@jest/globals';
import { parseRedisAddress } from './redis-address.ts';

describe('an address of Redis', () => {
  it('names one server, whose URL the driver reads', () => {
    const url = 'rediss://me:100%25@redis.example:6380/2';
    expect(parseRedisAddress(url)).toEqual({ kind: 'server', url });
  });

  it('names nodes of a cluster', () => {
    expect(parseRedisAddress('redis+cluster://one:7000,two,[::1]:7002')).toEqual({
      kind: 'cluster',
      tls: false,
      hosts: [
        { host: 'one', port: 7000 },
        { host: 'two', port: 6379 },
        { host: '::1', port: 7002 },
      ],
    });
    expect(parseRedisAddress('rediss+cluster://me:100%25%40@one')).toMatchObject({
      tls: true,
      username: 'me',
      password: '100%@',
    });
    expect(parseRedisAddress('rediss+cluster://:secret@one/')).not.toHaveProperty('username');
  });

  it('names Sentinels and the server that they watch', () => {
    expect(
      parseRedisAddress('redis+sentinel://me:secret@one,two:26380/main?sentinelPassword=theirs%25'),
    ).toEqual({
      kind: 'sentinel',
      tls: false,
      hosts: [
        { host: 'one', port: 26_379 },
        { host: 'two', port: 26_380 },
      ],
      master: 'main',
      username: 'me',
      password: 'secret',
      sentinelPassword: 'theirs%',
    });
  });

  it.each([
    'http://one',
    'one:6379',
    'redis+cluster://',
    'redis+cluster://one,,two',
    'redis+cluster://one:0',
    'redis+cluster://one:65536',
    'redis+cluster://one/0',
    'redis+cluster://one?sentinelPassword=x',
    'redis+cluster://me:%zz@one',
    'redis+sentinel://one',
    'redis+sentinel://one/',
    'redis+sentinel://one/main/0',
    'redis+sentinel://one/main?db=1',
    'redis+sentinel://one/main?sentinelPassword=%zz',
    'redis+other://one',
  ])('is not: %s', (url) => {
    expect(parseRedisAddress(url)).toBeUndefined();
  });
});
