import { describe, expect, it } from '@jest/globals';
import { freeProject } from '../test/support/free-project.ts';
import { revokeKey } from './key-changes.ts';
import { addressMatcher, keyTerms, type KeyChoice } from './project-key.ts';
import type { KeyRecord } from './record.ts';

const project = freeProject('p');
const termsOf = (choice: KeyChoice) => keyTerms({ name: 'Worker', ...choice }, { project, now: 10 });

it('a revoked key is kept for its name until a hundred others were revoked', () => {
  const key = (id: string, revokedAt: number | null): KeyRecord => {
    return { id, createdAt: 0, ...termsOf({}), revokedAt, secrets: [] };
  };
  const revoked = Array.from({ length: 100 }, (_, i) => key(`old-${i}`, 1));
  const keys = [...revoked, key('a', null), key('b', null)];
  const { next } = revokeKey({ project, keys, version: 1 }, 'a', 2);
  expect(next.keys.map(({ id }) => id)).toEqual([...revoked.slice(1).map(({ id }) => id), 'a', 'b']);
});

describe('the terms of a key', () => {
  it('are everything but a cap unless something else is chosen', () => {
    expect(termsOf({})).toEqual({
      name: 'Worker',
      scopes: ['read', 'webhook', 'usage'],
      allowedAddresses: [],
      allowedOrigins: [],
      expiresAt: null,
      monthlyCap: null,
    });
  });

  it('have their usual form, each entry once', () => {
    expect(
      termsOf({
        scopes: ['usage', 'read', 'read'],
        allowedAddresses: [' 2001:DB8::/32', '203.0.113.7', '203.0.113.7 '],
        allowedOrigins: ['https://App.example.com/', 'http://localhost:3000'],
      }),
    ).toMatchObject({
      scopes: ['read', 'usage'],
      allowedAddresses: ['2001:db8::/32', '203.0.113.7'],
      allowedOrigins: ['https://app.example.com', 'http://localhost:3000'],
    });
  });

  it('stay as they were where nothing is chosen, even if they could not be chosen any more', () => {
    const before = { ...termsOf({}), expiresAt: 5, monthlyCap: 200_000 };
    expect(keyTerms({ expiresAt: 5, monthlyCap: 200_000 }, { project, now: 10, before })).toEqual(before);
  });

  it.each<{ choice: KeyChoice; says: string }>([
    { choice: { name: ' ' }, says: 'name' },
    { choice: { scopes: [] }, says: 'scopes' },
    { choice: { scopes: ['write' as 'read'] }, says: 'scopes' },
    { choice: { allowedAddresses: ['example.com'] }, says: 'allowed addresses: "example.com"' },
    { choice: { allowedAddresses: ['10.0.0.0/33'] }, says: 'allowed addresses' },
    { choice: { allowedAddresses: ['10.0.0.0/8/8'] }, says: 'allowed addresses' },
    { choice: { allowedAddresses: ['fe80::1%eth0'] }, says: 'allowed addresses' },
    { choice: { allowedAddresses: Array.from({ length: 21 }, (_, n) => `10.0.0.${n}`) }, says: '21' },
    { choice: { allowedOrigins: ['https://example.com/path'] }, says: 'allowed origins' },
    { choice: { allowedOrigins: ['example.com'] }, says: 'allowed origins' },
    { choice: { allowedOrigins: ['ftp://example.com'] }, says: 'allowed origins' },
    { choice: { expiresAt: 10 }, says: 'expiry' },
    { choice: { monthlyCap: 0 }, says: 'monthly cap' },
    { choice: { monthlyCap: 100_001 }, says: 'monthly cap' },
  ])('are refused: $choice', ({ choice, says }) => {
    expect(() => termsOf(choice)).toThrow(says);
  });
});

describe('allowed addresses', () => {
  const isAllowed = addressMatcher(['203.0.113.0/24', '198.51.100.7', '2001:db8::/32', '::1']);

  it.each(['203.0.113.9', '198.51.100.7', '2001:db8:1::5', '::1', '::ffff:203.0.113.9'])(
    'include %s',
    (address) => expect(isAllowed(address)).toBe(true),
  );

  it.each(['203.0.114.9', '198.51.100.8', '2001:db9::1', '::2', '::ffff:203.0.114.9', '', 'localhost'])(
    'do not include %j',
    (address) => expect(isAllowed(address)).toBe(false),
  );
});
