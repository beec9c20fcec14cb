import { expect, it } from '@jest/globals';
import { plainUrl } from './plain-url.ts';

it.each([
  ['/v1/networks', '/v1/networks'],
  ['/v1/networks?', '/v1/networks'],
  ['/v1/%6eetwork%73', '/v1/networks'],
  ['/v1/eth%2Dmainnet/block?date=%32', '/v1/eth-mainnet/block?date=%32'],
  ['/%2fa%3F%25%e4%zz%5b%60%7b%40?', '/%2fa%3F%25%e4%zz%5b%60%7b%40'],
  ['http://host/v1/networks?', '/v1/networks'],
  ['HTTPS://[::1]:8080/v1/%6eetworks?a=http://b/c', '/v1/networks?a=http://b/c'],
  ['http://host', '/'],
  ['http://host?a=/v1/networks', '/?a=/v1/networks'],
  ['http://host//v1', '//v1'],
  ['/http://host/v1', '/http://host/v1'],
])('%s is %s', (url, plain) => {
  expect(plainUrl(url)).toBe(plain);
});

it('has letters, digits and -._~ as they are, and no other escape is read', () => {
  const all = Array.from({ length: 256 }, (_, code) => `%${code.toString(16).padStart(2, '0')}`);
  const read = all.map((escape) => plainUrl(escape)).filter((text) => text.length === 1);
  expect(read.toSorted().join('')).toBe('-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~');
});
