import { expect, it } from '@jest/globals';
import { waysIn } from './ways-in.ts';

const ANN = {
  id: 'ann',
  identities: [{ provider: 'google', subject: 'g-1', label: 'ann', linkedAt: 0 }],
} as const;

it('are not announced where a signed-in user has none of those that are configured', () => {
  const ways = { email: true, github: true, google: false };
  expect(String(waysIn(ways, '/account', ANN))).toBe('');
  expect(String(waysIn({ ...ways, google: true }, '/account', ANN))).toMatch(/or continue with.*Google/s);
});
