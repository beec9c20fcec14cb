import { describe, expect, it } from '@jest/globals';
import { dnsEncode, ensNormalize, namehash } from 'ethers';
import fc from 'fast-check';
import { parseName } from './name.ts';

describe('a name', () => {
  it('of letters, digits and hyphens is what ENSIP-15 makes of it', () => {
    const reference = (name: string) => {
      try {
        const text = ensNormalize(name);
        return { text, node: namehash(text), wire: dnsEncode(text, 255) };
      } catch {
        return 'unusable';
      }
    };
    const ours = (name: string) => {
      try {
        const { text, node, wire } = parseName(name);
        return { text, node, wire };
      } catch {
        return 'unusable';
      }
    };
    const plain = fc.string({ unit: fc.constantFrom(...'ab0z-._A'), minLength: 1, maxLength: 14 });
    fc.assert(fc.property(plain, (name) => expect(ours(name)).toEqual(reference(name))));
    for (const name of ['xn--a.eth', 'a.xn--a.eth', 'ab--', '-a-.eth', 'a--b', '---', '12.eth'])
      expect([name, ours(name)]).toEqual([name, reference(name)]);
  });

  it.each([
    ['Alice.ETH', 'alice.eth'],
    ['NI‍CK.eth', undefined],
    ['RaFFY🚴‍♂️.eTh', 'raffy🚴‍♂.eth'],
    ['Ⅷ.eth', 'viii.eth'],
    ['faß.eth', 'faß.eth'],
    ['_dmarc.example.com', '_dmarc.example.com'],
  ])('%s is normalised by ENSIP-15', (given, text) => {
    if (text === undefined) expect(() => parseName(given)).toThrow('is not an ENS name');
    else expect(parseName(given).text).toBe(text);
  });

  it('has the node that ethers gives it, and those above it', () => {
    const { node, parents } = parseName('a.b.alice.eth');
    expect([node, ...parents]).toEqual(['a.b.alice.eth', 'b.alice.eth', 'alice.eth', 'eth'].map(namehash));
  });

  it('is written as DNS does', () => {
    expect(parseName('alice.eth').wire).toBe(
      `0x05${Buffer.from('alice').toString('hex')}03${Buffer.from('eth').toString('hex')}00`,
    );
  });

  it.each([
    ['a..eth', 'empty label'],
    ['.eth', 'empty label'],
    ['alice.eth.', 'empty label'],
    ['', 'empty label'],
    ['al ice.eth', 'disallowed character'],
    ['al_ice.eth', 'underscore allowed only at start'],
    ['xn--fa-hia.eth', 'invalid label extension'],
    ['vitаlik.eth', 'illegal mixture'],
    ['’.eth', 'leading'],
    ['[0123].eth', 'disallowed character'],
    ['a/b.eth', 'disallowed character'],
    [`${'a'.repeat(256)}.eth`, 'one of its parts has more than 255 bytes'],
    [`${'é'.repeat(128)}.eth`, 'one of its parts has more than 255 bytes'],
    [`${'a.'.repeat(10)}eth`, 'it has more than 10 parts'],
    ['a'.repeat(513), 'it has more than 512 characters'],
  ])('%s is refused: %s', (given, reason) => {
    const parse = (): unknown => parseName(given);
    expect(parse).toThrow(expect.objectContaining({ name: 'UnusableName' }));
    expect(parse).toThrow(`is not an ENS name: `);
    expect(parse).toThrow(reason);
  });

  it('is quoted in messages without invisible characters', () => {
    expect(() => parseName('a\u202Eb\u0000\r\n.eth')).toThrow(/^ab\.eth is not an ENS name: [^\p{C}]*$/u);
  });

  it('does not change once normalised; any text gives a name or a refusal', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (given) => {
        try {
          const { text } = parseName(given);
          expect(parseName(text).text).toBe(text);
        } catch (error) {
          expect((error as Error).name).toBe('UnusableName');
        }
      }),
      { seed: 1 },
    );
  });
});
