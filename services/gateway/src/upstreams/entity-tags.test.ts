import { describe, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { EntityTags } from './entity-tags.ts';

const SECRET = 'a secret of the installation';
const URL = '/v1/eth-mainnet/token?page=1';
const tags = new EntityTags(SECRET);
const signed = tags.sign(URL, '"abc-gzip"')!;

describe('a signed tag', () => {
  it('is a tag like any other, and the same on every gateway with the secret', () => {
    expect(signed).toMatch(/^"abc-gzip\.[\w-]{43}"$/);
    expect(new EntityTags(SECRET).sign(URL, '"abc-gzip"')).toBe(signed);
    expect(new EntityTags(SECRET).known(URL, signed)).toBe('"abc-gzip"');
    expect(tags.sign(URL, 'W/"abc"')).toMatch(/^W\/"abc\.[\w-]{43}"$/);
  });

  it('is known again, alone or in a list, also where a proxy made it weak', () => {
    expect(tags.known(URL, signed)).toBe('"abc-gzip"');
    expect(tags.known(URL, `W/${signed}`)).toBe('"abc-gzip"');
    expect(tags.known(URL, `"other", ${signed} ,${tags.sign(URL, '"def"')!}`)).toBe('"abc-gzip", "def"');
  });

  it('is for one URL, one secret and one tag', () => {
    expect(tags.known(`${URL}0`, signed)).toBeUndefined();
    expect(new EntityTags('another secret of some length').known(URL, signed)).toBeUndefined();
    expect(tags.known(URL, signed.replace('abc', 'abd'))).toBeUndefined();
    const own = createHmac('sha256', SECRET).update(`${URL} abc`).digest('base64url');
    expect(tags.known(URL, `"abc.${own}"`)).toBeUndefined();
  });
});

it.each([
  undefined,
  '',
  '*',
  ' * ',
  '"abc"',
  '"abc-gzip"',
  'abc',
  '"."',
  signed.slice(1),
  signed.slice(0, -1),
  `${signed.slice(0, -2)}"`,
])('%j is nothing that a client was given', (sent) => {
  expect(tags.known(URL, sent)).toBeUndefined();
});

it('of a long list only the beginning is looked at', () => {
  expect(tags.known(URL, `${'"x", '.repeat(15)}${signed}`)).toBe('"abc-gzip"');
  expect(tags.known(URL, `${'"x", '.repeat(16)}${signed}`)).toBeUndefined();
});

it('what is no tag is not passed on', () => {
  for (const tag of ['', 'abc', '"a"b"', '*']) expect(tags.sign(URL, tag)).toBeUndefined();
});
