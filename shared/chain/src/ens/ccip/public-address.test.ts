import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isPublicAddress } from './public-address.ts';

describe('an address', () => {
  it.each([
    '93.184.216.34',
    '1.1.1.1',
    '172.32.0.1',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
    '::ffff:1.1.1.1',
  ])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::7f00:1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.0.0.1',
    '::ffff:169.254.169.254',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001::1',
    '2001:db8::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    '4000::1',
  ])('%s is not', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(['', 'localhost', 'example.com', '999.1.1.1', '[::1]', 'g::1'])('%s is none', (text) => {
    expect(isPublicAddress(text)).toBe(false);
  });

  it('of a private network is never public, however it is written', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(fc.constantFrom(10, 127, 0, 224, 240), byte, byte, byte, (a, b, c, d) => {
        const decimal = ((a * 256 + b) * 256 + c) * 256 + d;
        const forms = [`${a}.${b}.${c}.${d}`, String(decimal), `0x${decimal.toString(16)}`];
        forms.push(
          `::ffff:${a}.${b}.${c}.${d}`,
          [a, b, c, d].map((part) => `0${part.toString(8)}`).join('.'),
        );
        expect(forms.filter(isPublicAddress)).toEqual([]);
      }),
      { seed: 1 },
    );
  });
});
