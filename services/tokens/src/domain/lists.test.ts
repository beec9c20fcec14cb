import { describe, expect, it } from '@jest/globals';
import { foldText, listKey, listsOf, wordListsOf } from './lists.ts';

const usdc = { type: 'erc20', name: 'USD Coin', symbol: 'USDC' } as const;

function isFound(search: string, token: Parameters<typeof listsOf>[0] = usdc): boolean {
  return listsOf(token).includes(listKey({ prefix: foldText(search) })!);
}

describe('A search', () => {
  it.each(['USD', 'usdc', 'usd coin', 'COIN', 'co'])('finds USD Coin by %s', (search) => {
    expect(isFound(search)).toBe(true);
  });

  it.each(['oin', 'sd', 'coins', 'usd  x'])('does not find it by %s', (search) => {
    expect(isFound(search)).toBe(false);
  });

  it.each([
    ['kitties', 'CryptoKitties'],
    ['pepe', '$PEPE'],
    ['v2', 'UNI-V2'],
    ['dai (bridged', 'Sky:dai (bridged)'],
    ['コイン', '龍 コイン'],
    ['नमस्ते', 'a नमस्ते'],
    // The last sigma of a word has a lower case of its own.
    ['ΟΔΟΣ', 'ΟΔΟΣΑ'],
    ['οδοσ', 'ΟΔΟΣ'],
    ['οδός', 'Οδόσημο'],
  ])('finds by %s: %s', (search, name) => {
    expect(isFound(search, { type: 'erc20', name, symbol: '' })).toBe(true);
  });

  it('starts no word after a mark, which belongs to its letter', () => {
    expect(isFound('स', { type: 'erc20', name: 'नमस्ते', symbol: '' })).toBe(false);
    expect(isFound('त', { type: 'erc20', name: 'नमस्ते', symbol: '' })).toBe(false);
  });
});

describe('The lists of a token', () => {
  it('are each there once, those of words apart from those of its type and beginnings', () => {
    const lists = listsOf({ type: 'erc20', name: 'Coin Coin Coin', symbol: 'COIN' });
    expect(new Set(lists).size).toBe(lists.length);
    expect(wordListsOf({ type: 'erc20', name: 'Coin Coin Coin', symbol: 'COIN' })).toEqual([]);
    expect(wordListsOf(usdc)).toEqual(
      // Each text has two lists: that of all types, and that of its own type.
      ['c', 'co', 'coi', 'coin'].flatMap((prefix) => [`\t${prefix}`, `erc20\t${prefix}`]),
    );
  });

  it('are all there once those are added that version 0.2.0 did not have', () => {
    const token = { type: 'erc20', name: 'ΟΔΟΣ ΟΔΟΣΑ', symbol: 'ΣΟΣ' } as const;
    // That version had no words, and its lower case was that of the text.
    const prefixes = [...'οδος οδοσα'].map((_, i) => 'οδος οδοσα'.slice(0, i + 1).trimEnd());
    const lists = [...prefixes, 'σ', 'σο', 'σος'].flatMap((prefix) => [`\t${prefix}`, `erc20\t${prefix}`]);
    const had = ['erc20\t', ...new Set(lists)];
    const both = [...had, ...wordListsOf(token)];
    expect(new Set(both).size).toBe(both.length);
    expect(new Set(both)).toEqual(new Set([...listsOf(token), ...had]));
  });

  it('are bounded, however many words a contract calls itself', () => {
    const words = Array.from({ length: 64 }, (_, i) => String.fromCharCode(0x4e00 + i)).join(' ');
    const symbol = Array.from({ length: 32 }, (_, i) => String.fromCharCode(0x5e00 + i)).join('-');
    expect(listsOf({ type: 'erc721', name: words, symbol }).length).toBeLessThanOrEqual(2 * 2 * 8 * 40 + 1);
  });
});
