import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { getAddress } from 'ethers';
import { readAddress, readAddressBytes, toChecksum } from './address.ts';

describe('toChecksum', () => {
  it.each([
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0xde709f2102306220921060314715629080e2fb77',
  ])('writes %s as the examples of EIP-55 do, from any case', (address) => {
    expect(toChecksum(address.toLowerCase())).toBe(address);
    expect(toChecksum(`0x${address.slice(2).toUpperCase()}`)).toBe(address);
  });

  it('agrees with ethers', () => {
    const bytes = fc.uint8Array({ minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(bytes, (raw) => {
        const address = `0x${Buffer.from(raw).toString('hex')}`;
        expect(toChecksum(address)).toBe(getAddress(address));
      }),
      { seed: 1 },
    );
  });
});

describe('readAddressBytes', () => {
  const digits = fc.string({
    unit: fc.constantFrom(...'0123456789abcdefABCDEF'),
    minLength: 40,
    maxLength: 40,
  });
  const lower = digits.map((text) => text.toLowerCase());
  const address = fc.oneof(
    lower,
    digits.map((text) => text.toUpperCase()),
    lower.map((text) => toChecksum(`0x${text}`).slice(2)),
    digits,
  );
  const anyByte = fc.integer({ min: 0, max: 255 });

  it('reads an address, and refuses a fault, as the text is read', () => {
    fc.assert(
      fc.property(address, fc.option(fc.tuple(fc.nat(41), anyByte)), fc.nat(43), (text, planted, length) => {
        const bytes = Buffer.from(`0x${text}`, 'latin1');
        if (planted) bytes[planted[0]] = planted[1];
        const read = readAddress(bytes.toString('latin1'));
        expect(readAddressBytes(bytes)).toBe('address' in read ? read.address : undefined);
        const other = Buffer.concat([bytes, bytes]).subarray(0, length);
        if (length !== 42) expect(readAddressBytes(other)).toBeUndefined();
      }),
      { seed: 1, numRuns: 1_000 },
    );
  });
});
