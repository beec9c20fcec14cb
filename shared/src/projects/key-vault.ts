/** How keys are kept: encrypted, so that their owner can be shown them, and found by a keyed hash of them. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Seals, opens and indexes keys under one secret. */
export class KeyVault {
  readonly #sealing: Buffer;
  readonly #indexing: Buffer;

  /** @param secret `SECRETS_KEY`; what it encrypts can be opened with the same secret only */
  constructor(secret: string) {
    const derive = (purpose: string): Buffer =>
      Buffer.from(hkdfSync('sha256', secret, '', `hindsight ${purpose}`, 32));
    this.#sealing = derive('key sealing');
    this.#indexing = derive('key index');
  }

  /** The text by which a key is found in a store; it tells nothing about the key to whoever lacks the secret. */
  index(key: string): string {
    return createHmac('sha256', this.#indexing).update(key).digest('base64url');
  }

  /** Encrypts a key; the same key gives another text each time. */
  seal(key: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#sealing, nonce);
    const sealed = Buffer.concat([cipher.update(key, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /** Decrypts what `seal` returned. @throws {Error} when it was altered or sealed under another secret */
  open(sealed: string): string {
    const bytes = Buffer.from(sealed, 'base64url');
    const decipher = createDecipheriv(CIPHER, this.#sealing, bytes.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const opened = Buffer.concat([
      decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)),
      decipher.final(),
    ]);
    return opened.toString('utf8');
  }
}
