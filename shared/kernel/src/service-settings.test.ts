import { describe, expect, it } from '@jest/globals';
import { ConfigError, load, type Setting } from './config.ts';
import { networkNames, redisUrl, SECURITY_CONTACT, serviceUrls } from './service-settings.ts';

/** The setting as it is read from a value; `refused` where it is refused, without being quoted if it is a secret. */
function read<T>(setting: Setting<T>, value: string): T | 'refused' {
  try {
    return load({ IT: setting }, { IT: value }).IT;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    expect(error.message.includes('(secret)')).toBe(setting.secret === true);
    return 'refused';
  }
}

describe('names of networks', () => {
  const names = networkNames('networks');

  it('are separated by commas, each once', () => {
    expect(read(names, 'eth-mainnet, base-mainnet')).toEqual(['eth-mainnet', 'base-mainnet']);
    for (const value of [
      'eth-mainnet,eth-mainnet',
      'eth-mainnet,',
      'Base',
      '1-eth',
      'eth--mainnet',
      'a_b',
      'a',
    ])
      expect([value, read(names, value)]).toEqual([value, 'refused']);
    expect(read(names, Array.from({ length: 400 }, (_, at) => `network-${at}`).join(','))).toBe('refused');
  });
});

describe('URLs of a service', () => {
  const [one, several] = [serviceUrls('a service', false), serviceUrls('instances', true)];

  it('are of all networks, or of the one before them', () => {
    expect(read(several, 'http://a, http://b,base-mainnet=http://c,base-mainnet=http://d')).toEqual({
      all: ['http://a', 'http://b'],
      byNetwork: new Map([['base-mainnet', ['http://c', 'http://d']]]),
    });
    expect(read(one, 'base-mainnet=http://c,eth-mainnet=http://d')).toEqual({
      all: [],
      byNetwork: new Map([
        ['base-mainnet', ['http://c']],
        ['eth-mainnet', ['http://d']],
      ]),
    });
  });

  it('are one of each, where instances do not take turns', () => {
    for (const value of ['http://a,http://b', 'base-mainnet=http://a,base-mainnet=http://b'])
      expect([value, read(one, value)]).toEqual([value, 'refused']);
  });

  it.each([
    'ftp://a',
    'a',
    'http://a,',
    'b-=http://a',
    '1x=http://a',
    'base-mainnet=',
    'base-mainnet=ftp://a',
  ])('are not: %s', (value) => {
    expect(read(several, value)).toBe('refused');
  });
});

it('an address of Redis is one that its reader knows', () => {
  expect(read(redisUrl('Redis'), 'redis+sentinel://a/main')).toBe('redis+sentinel://a/main');
  expect(read(redisUrl('Redis'), 'redis+sentinel://a')).toBe('refused');
});

it('a contact is a mail address or a page', () => {
  for (const value of ['mailto:a@example.org', 'https://example.org/security'])
    expect(read(SECURITY_CONTACT, value)).toBe(value);
  for (const value of [
    'a@example.org',
    'http://example.org',
    'mailto:',
    'https://a b',
    `https://${'x'.repeat(500)}`,
  ])
    expect(read(SECURITY_CONTACT, value)).toBe('refused');
});
