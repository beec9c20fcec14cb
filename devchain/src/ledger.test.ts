import { beforeEach, describe, expect, it } from '@jest/globals';
import { LedgerBook } from './ledger.ts';
import { CHAIN } from './world.ts';

const token = '0x00000000000000000000000000000000000000A1';
const holder = '0x00000000000000000000000000000000000000b2';
const since = CHAIN.story + 10;

describe('a ledger', () => {
  let ledger: LedgerBook;
  beforeEach(() => {
    ledger = new LedgerBook();
    ledger.open(token, since);
  });

  it('answers with the last value at or before a block, and with zero before the first', () => {
    ledger.record({ kind: 'balance', token, holder, block: since + 5, value: 7n });
    ledger.record({ kind: 'balance', token, holder, block: since + 9, value: 3n });
    const at = (offset: number) => ledger.balanceAt(token, holder, since + offset);
    expect([at(0), at(4), at(5), at(8), at(9), at(100)]).toEqual([0n, 0n, 7n, 7n, 3n, 3n]);
  });

  it('keeps the last of several values within a block, as one entry', () => {
    ledger.record({ kind: 'native', holder, block: since, value: 1n });
    ledger.record({ kind: 'native', holder, block: since, value: 2n });
    expect(ledger.nativeAt(holder, since)).toBe(2n);
    expect(ledger.entries).toHaveLength(1);
  });

  it('separates balances, items, allowances and ether of the same holder', () => {
    const block = since;
    ledger.record({ kind: 'balance', token, holder, block, value: 1n });
    ledger.record({ kind: 'item', token, holder, id: 4n, block, value: 2n });
    ledger.record({ kind: 'allowance', token, owner: holder, spender: token, block, value: 3n });
    ledger.record({ kind: 'native', holder, block, value: 4n });
    expect(ledger.balanceAt(token, holder, block)).toBe(1n);
    expect(ledger.itemAt(token, holder, 4n, block)).toBe(2n);
    expect(ledger.itemAt(token, holder, 5n, block)).toBe(0n);
    expect(ledger.allowanceAt(token, holder, token, block)).toBe(3n);
    expect(ledger.nativeAt(holder, block)).toBe(4n);
  });

  it('accepts addresses in any case', () => {
    ledger.record({ kind: 'balance', token, holder, block: since, value: 1n });
    expect(ledger.balanceAt(token.toLowerCase(), holder.toUpperCase(), since)).toBe(1n);
  });

  it('knows where a name points, and when it points nowhere', () => {
    ledger.record({ kind: 'name', name: 'a.eth', block: since, address: holder });
    ledger.record({ kind: 'name', name: 'a.eth', block: since + 2, address: null });
    expect(ledger.nameAt('a.eth', since - 1)).toBeNull();
    expect(ledger.nameAt('a.eth', since + 1)).toBe(holder);
    expect(ledger.nameAt('a.eth', since + 2)).toBeNull();
  });

  it('refuses a block that is not on the chain, an unknown token, and a token before its time', () => {
    expect(() => ledger.nativeAt(holder, CHAIN.head + 1)).toThrow(RangeError);
    expect(() => ledger.nativeAt(holder, CHAIN.genesis - 1)).toThrow(RangeError);
    expect(() => ledger.balanceAt(holder, holder, since)).toThrow(RangeError);
    expect(() => ledger.balanceAt(token, holder, since - 1)).toThrow(RangeError);
  });

  it('is written only forwards', () => {
    ledger.record({ kind: 'native', holder, block: since, value: 1n });
    expect(() => ledger.record({ kind: 'native', holder, block: since - 1, value: 1n })).toThrow('backwards');
  });
});
