import { describe, expect, it } from '@jest/globals';
import { KeyVault } from './key-vault.ts';
import { generateKey, isWellFormedKey } from './key.ts';

const vault = new KeyVault('a secret of some length');

describe('a project key', () => {
  it('is new each time, and well formed', () => {
    const keys = Array.from({ length: 1_000 }, generateKey);
    expect(new Set(keys).size).toBe(1_000);
    expect(keys.every(isWellFormedKey)).toBe(true);
  });

  it('is distinguished from a typo', () => {
    const key = generateKey();
    for (let at = 0; at < key.length; at++) {
      const other = key[at] === 'x' ? 'y' : 'x';
      expect(isWellFormedKey(key.slice(0, at) + other + key.slice(at + 1))).toBe(false);
    }
    expect(isWellFormedKey(`${key}x`)).toBe(false);
    expect(isWellFormedKey(key.slice(0, -1))).toBe(false);
  });
});

describe('the key vault', () => {
  const key = generateKey();

  it('opens what it has sealed, with a different ciphertext each time', () => {
    const sealed = [vault.seal(key), vault.seal(key)];
    expect(sealed[0]).not.toBe(sealed[1]);
    expect(sealed.map((each) => vault.open(each))).toEqual([key, key]);
    expect(sealed.join('')).not.toContain(key);
  });

  it('finds a key by a text that is the same for the same secret only', () => {
    expect(vault.index(key)).toBe(new KeyVault('a secret of some length').index(key));
    expect(vault.index(key)).not.toBe(new KeyVault('another secret of some length').index(key));
  });

  it('refuses what was altered, cut short or sealed under another secret', () => {
    const sealed = Buffer.from(vault.seal(key), 'base64url');
    for (let at = 0; at < sealed.length; at++) {
      const altered = Buffer.from(sealed);
      altered[at]! ^= 1;
      expect(() => vault.open(altered.toString('base64url'))).toThrow('cannot be opened');
    }
    for (let length = 0; length < sealed.length; length++)
      expect(() => vault.open(sealed.subarray(0, length).toString('base64url'))).toThrow('cannot be opened');
    expect(() => new KeyVault('another secret of some length').open(vault.seal(key))).toThrow('SECRETS_KEY');
  });

  it('seals again what is kept under a former secret, in its text or in its index', () => {
    const next = new KeyVault('the next secret of some length', ['a secret of some length']);
    const current = { index: next.index(key), sealed: next.seal(key) };
    expect(next.reseal(current)).toBeNull();
    for (const former of [{ index: vault.index(key) }, { sealed: vault.seal(key) }]) {
      const resealed = next.reseal({ ...current, ...former })!;
      expect(resealed.index).toBe(current.index);
      expect(next.reseal(resealed)).toBeNull();
    }
  });

  it('finds and opens what was kept under former secrets', () => {
    const next = new KeyVault('the next secret of some length', ['one between', 'a secret of some length']);
    expect(next.open(vault.seal(key))).toBe(key);
    expect(next.indexes(key)).toContain(vault.index(key));
    expect(next.indexes(key)[0]).toBe(next.index(key));
    expect(vault.indexes(key)).toEqual([vault.index(key)]);
  });
});
