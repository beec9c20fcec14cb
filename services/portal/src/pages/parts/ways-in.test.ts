import { expect, it } from '@jest/globals';
import type { Identity } from '../../domain/account.ts';
import { waysIn } from './ways-in.ts';

const OWN: Identity = { provider: 'google', subject: 'g-1', label: 'ann', linkedAt: 0 };

it('are not announced where a signed-in user has none of those that are configured', () => {
  const ways = { email: true, github: true, google: false };
  expect(String(waysIn(ways, '/account', [OWN]))).toBe('');
  expect(String(waysIn({ ...ways, google: true }, '/account', [OWN]))).toMatch(/or continue with.*Google/s);
});
