import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits, for a cookie or a link. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** 128 random bits where only letters and digits are allowed. */
export function newNonce(): string {
  return randomBytes(16).toString('hex');
}

/** The stored form of a secret: enough to recognise it. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
