import { createArgon2Passwords } from '../../src/adapters/argon2-passwords.ts';

/** Argon2id at a small part of its cost, for tests that are not about it: a suite hashes hundreds of passwords. */
export const quickPasswords = () => createArgon2Passwords({ memory: 64, passes: 1, parallelism: 1 });
