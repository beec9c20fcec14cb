import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Bulkhead } from '@hindsight/kernel/bulkhead.ts';
import { unavailable } from '@hindsight/kernel/errors.ts';
import type { PasswordHasher } from '../ports.ts';

const derive = promisify(argon2);

/** RFC 9106's parameters as OWASP's password storage sheet recommends them: 19 MiB, two passes, one lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const TAG_BYTES = 32;
/** Hashed at a time, and waiting besides: each takes 19 MiB and some tens of milliseconds. */
const LIMITS = { concurrency: 3, queue: 60 };

/**
 * Passwords as argon2id, `argon2id$memory$passes$salt$tag`, in base64url.
 * @param cost of new hashes; an older hash is verified at its own
 */
export function createArgon2Passwords(cost = COST): PasswordHasher {
  const places = new Bulkhead(LIMITS, () =>
    unavailable('overloaded', 'Too many people are signing in right now.'),
  );
  const tagOf = async (password: string, nonce: Buffer, at: typeof COST): Promise<Buffer> => {
    await places.enter();
    try {
      const message = password.normalize('NFC');
      return Buffer.from(await derive('argon2id', { message, nonce, tagLength: TAG_BYTES, ...at }));
    } finally {
      places.leave();
    }
  };
  const dummy = { salt: randomBytes(SALT_BYTES), tag: randomBytes(TAG_BYTES), cost };
  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES);
      const tag = await tagOf(password, salt, cost);
      const { memory, passes } = cost;
      return ['argon2id', memory, passes, salt.toString('base64url'), tag.toString('base64url')].join('$');
    },
    async matches(password, hash) {
      const hashed = (hash === null ? null : parse(hash)) ?? dummy;
      return timingSafeEqual(await tagOf(password, hashed.salt, hashed.cost), hashed.tag) && hash !== null;
    },
  };
}

function parse(hash: string): { salt: Buffer; tag: Buffer; cost: typeof COST } | null {
  const [name, memory, passes, salt = '', tag = ''] = hash.split('$');
  if (name !== 'argon2id') return null;
  return {
    salt: Buffer.from(salt, 'base64url'),
    tag: Buffer.from(tag, 'base64url'),
    cost: { ...COST, memory: Number(memory), passes: Number(passes) },
  };
}
