import { describe, expect, it } from '@jest/globals';
import { computeAddress, id, recoverAddress, SigningKey } from 'ethers';
import { recoverSigner } from './recover-signer.ts';

/** ethers as the reference: null if it finds no signer. */
function byEthers(digest: string, signature: string): string | null {
  try {
    return recoverAddress(digest, {
      r: signature.slice(0, 66),
      s: `0x${signature.slice(66, 130)}`,
      v: Number(`0x${signature.slice(130)}`),
    }).toLowerCase();
  } catch {
    return null;
  }
}

describe('signer recovery', () => {
  it('finds the signer', () => {
    for (let n = 0; n < 50; n++) {
      const key = new SigningKey(id(`key ${n}`));
      const digest = id(`message ${n}`);
      const signer = computeAddress(key.publicKey).toLowerCase();
      expect(recoverSigner(digest, key.sign(digest).serialized)).toBe(signer);
    }
  });

  it('agrees with ethers on random signatures', () => {
    for (let n = 0; n < 50; n++) {
      const s = id(`s ${n}`).slice(2).replace(/^./, '1');
      const signature = `0x${id(`r ${n}`).slice(2)}${s}${n % 2 ? '1b' : '1c'}`;
      expect(recoverSigner(id('message'), signature)).toBe(byEthers(id('message'), signature));
    }
  });

  it.each([
    ['zero', `0x${'00'.repeat(64)}1b`],
    [
      'the order of the curve as r',
      `0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141${'11'.repeat(32)}1b`,
    ],
    ['64 bytes', `0x${'11'.repeat(64)}`],
    ['v 29', `0x${'11'.repeat(64)}1d`],
    ['nothing', '0x'],
  ])('finds no signer in %s', (_, signature) => {
    expect(recoverSigner(id('message'), signature)).toBeNull();
  });
});
