import { expect, it } from '@jest/globals';
import { countHashes } from '../../test/support/count-hashes.ts';
import { createArgon2Passwords } from './argon2-passwords.ts';

const passwords = createArgon2Passwords();

it('matches a hash with its own password only', async () => {
  const hash = await passwords.hash('a few unrelated words');
  expect(hash).toMatch(/^argon2id\$19456\$2\$[\w-]{22}\$[\w-]{43}$/);
  expect(await passwords.matches('a few unrelated words', hash)).toBe(true);
  expect(await passwords.matches('a few unrelated word', hash)).toBe(false);
  expect(await passwords.matches('', hash)).toBe(false);
});

it('hashes the same password differently each time', async () => {
  expect(await passwords.hash('a few unrelated words')).not.toBe(
    await passwords.hash('a few unrelated words'),
  );
});

it('matches characters in any Unicode composition', async () => {
  const hash = await passwords.hash('caf\u00e9 au lait');
  expect(await passwords.matches('cafe\u0301 au lait', hash)).toBe(true);
});

it('matches nothing without a hash, or with an unknown one', async () => {
  expect(await passwords.matches('', null)).toBe(false);
  expect(await passwords.matches('x', 'bcrypt$1$2$3$4')).toBe(false);
});

it('takes as much work without a hash as with one', async () => {
  const hash = await passwords.hash('a few unrelated words');
  expect(await countHashes(() => passwords.matches('x', hash))).toBe(1);
  expect(await countHashes(() => passwords.matches('x', null))).toBe(1);
});

it('refuses callers behind a full queue', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 70 }, () => passwords.matches('x', null)));
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(7);
});
