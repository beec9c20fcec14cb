import { describe, expect, it } from '@jest/globals';
import { sanitize, sanitizeName, sanitizeSymbol } from './sanitize.ts';

describe('A sanitized name', () => {
  it.each([
    ['plain', 'USD Coin', 'USD Coin'],
    ['other scripts and emoji', 'ÜSDT 龍 🐶', 'ÜSDT 龍 🐶'],
    ['a right-to-left override', 'USD\u202eCOIN', 'USDCOIN'],
    ['bidirectional isolates and marks', '\u2066a\u2069\u200f\u061c', 'a'],
    ['zero-width characters and the byte order mark', 'U\u200bS\u200cD\u200d\u2060C\ufeff', 'USDC'],
    ['a soft hyphen and fillers', 'U\u00adS\u3164D\u115f\u2800', 'USD'],
    ['control characters', 'a\u0000b\u001b[31mc\u0085\u007f', 'ab[31mc'],
    ['tag characters', 'USDC\u{e0041}\u{e007f}', 'USDC'],
    ['line breaks and wide spaces', '  a\r\n\tb\u00a0\u2003c\u2028', 'a b c'],
    ['a lone surrogate', 'a\ud800b', 'a\ufffdb'],
    ['piled up marks', `a${'\u0301'.repeat(50)}`, 'á\u0301\u0301\u0301'],
    ['nothing visible', '\u200b\u202e\u0007', ''],
  ])('has %s', (_, raw, shown) => {
    expect(sanitize(raw, 100)).toBe(shown);
  });

  it('has a bounded length and no half character at its end', () => {
    expect(sanitizeName('x'.repeat(1000))).toHaveLength(128);
    expect(sanitizeSymbol('🐶'.repeat(1000))).toBe('🐶'.repeat(64));
    expect(sanitize('ab cd', 3)).toBe('ab');
  });
});
