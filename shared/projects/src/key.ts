/**
 * Project keys (the "Project ID" of the API): `hs_`, 24 random characters, and a checksum of six, so that a
 * typo or garbage is refused without a look at a store.
 */
import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'hs_';
/** 62^24 is more than 2^142. */
const RANDOM_CHARACTERS = 24;
const CHECKSUM_CHARACTERS = 6;
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_CHARACTERS + CHECKSUM_CHARACTERS}}$`);

/** A new key, from the system's secure randomness. */
export function generateKey(): string {
  const body = Array.from({ length: RANDOM_CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return PREFIX + body + checksum(body);
}

export function isWellFormedKey(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  const body = text.slice(PREFIX.length, PREFIX.length + RANDOM_CHARACTERS);
  return text.endsWith(checksum(body));
}

function checksum(body: string): string {
  let value = crc32(body);
  let text = '';
  while (text.length < CHECKSUM_CHARACTERS) {
    text = (ALPHABET[value % ALPHABET.length] ?? '') + text;
    value = Math.floor(value / ALPHABET.length);
  }
  return text;
}
