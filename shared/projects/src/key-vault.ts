/** Stores keys encrypted, so that their owner can see them, and indexed by a keyed hash. */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { deriveKey } from './codes.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface SealedKey {
  readonly index: string;
  readonly sealed: string;
}

type DerivedKeys = ReturnType<typeof deriveKeys>;

/**
 * Seals, opens and indexes keys under one secret. To change the secret, put the new one into `SECRETS_KEY`
 * and the former into `SECRETS_KEY_PREVIOUS` (comma-separated, newest first) of every process: new and
 * rotated keys are stored under the new secret, earlier ones are still found and shown. Drop a former secret
 * once all keys are under the new one (`reseal`; `npm run admin -- secrets reseal`).
 */
export class KeyVault {
  readonly #current: DerivedKeys;
  readonly #all: readonly DerivedKeys[];

  /**
   * @param secret `SECRETS_KEY`; its ciphertexts can be opened with the same secret only
   * @param previous former secrets, under which keys are still found and opened
   */
  constructor(secret: string, previous: readonly string[] = []) {
    this.#current = deriveKeys(secret);
    this.#all = [this.#current, ...previous.map(deriveKeys)];
  }

  /** The index of a key in a store; without the secret it reveals nothing about the key. */
  index(key: string): string {
    return indexUnder(this.#current, key);
  }

  /** Possible indexes of a key, under the secret and each former one. */
  indexes(key: string): string[] {
    return this.#all.map((keys) => indexUnder(keys, key));
  }

  /** Encrypts a key; the same key gives another text each time. */
  seal(key: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#current.sealing, nonce);
    const sealed = Buffer.concat([cipher.update(key, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /**
   * The same key's index and sealed form under the current secret; null if they are that already.
   * @throws {Error} when no given secret opens it
   */
  reseal({ index, sealed }: SealedKey): SealedKey | null {
    const key = this.open(sealed);
    const current = this.index(key);
    const isCurrent = openUnder(this.#current.sealing, Buffer.from(sealed, 'base64url')) !== undefined;
    return isCurrent && index === current ? null : { index: current, sealed: this.seal(key) };
  }

  /** Decrypts what `seal` returned. @throws {Error} when it was altered or sealed under a secret that is not given */
  open(sealed: string): string {
    for (const { sealing } of this.#all) {
      const opened = openUnder(sealing, Buffer.from(sealed, 'base64url'));
      if (opened !== undefined) return opened;
    }
    throw new Error('a stored key cannot be opened: SECRETS_KEY is not the one that it was sealed under');
  }
}

function deriveKeys(secret: string) {
  return { sealing: deriveKey(secret, 'key sealing'), indexing: deriveKey(secret, 'key index') };
}

function indexUnder({ indexing }: DerivedKeys, key: string): string {
  return createHmac('sha256', indexing).update(key).digest('base64url');
}

/** Undefined when the authentication tag does not fit. */
function openUnder(sealing: Buffer, bytes: Buffer): string | undefined {
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv(CIPHER, sealing, bytes.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
