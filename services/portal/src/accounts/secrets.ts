import { createHash, randomBytes } from 'node:crypto';

/** 256 bits that nobody can guess, for a cookie or a link. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** The same for where letters and digits alone are allowed. */
export function newNonce(): string {
  return randomBytes(16).toString('hex');
}

/** What is kept of a secret: enough to know it again. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
