import { createHmac, createSecretKey, hkdfSync, timingSafeEqual, type KeyObject } from 'node:crypto';

const KEY_BYTES = 32;

/** The key for one purpose: it says nothing about the keys for others. @param secret `SECRETS_KEY` */
export function deriveKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `hindsight ${purpose}`, KEY_BYTES));
}

/** Codes of texts, each 43 characters of base64url, that only a process with the same secret can make (HMAC-SHA-256). */
export class Codes {
  readonly #key: KeyObject;

  /** @param secret `SECRETS_KEY` */
  constructor(secret: string, purpose: string) {
    this.#key = createSecretKey(deriveKey(secret, purpose));
  }

  of(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }

  /** Compares in constant time. @param code 43 characters */
  isOf(code: string, text: string): boolean {
    return timingSafeEqual(Buffer.from(code), Buffer.from(this.of(text)));
  }
}
