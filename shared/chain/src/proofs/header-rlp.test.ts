import { describe, expect, it } from '@jest/globals';
import { startAnvil } from '@hindsight/devchain/anvil.ts';
import { ask } from '@hindsight/devchain/client.ts';
import { keccak256 } from 'ethers';
import { encodeHeader, UnknownHeader } from './header-rlp.ts';

type Header = Readonly<Record<string, string>>;

const ZEROS = `0x${'0'.repeat(64)}`;
const NO_TRIE = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';
const NO_UNCLES = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347';

/** Ethereum's first block. */
const FIRST: Header = {
  parentHash: ZEROS,
  sha3Uncles: NO_UNCLES,
  miner: `0x${'0'.repeat(40)}`,
  stateRoot: '0xd7f8974fb5ac78d9ac099b9ad5018bedc2ce0a72dad1827a1709da30580f0544',
  transactionsRoot: NO_TRIE,
  receiptsRoot: NO_TRIE,
  logsBloom: `0x${'0'.repeat(512)}`,
  difficulty: '0x400000000',
  number: '0x0',
  gasLimit: '0x1388',
  gasUsed: '0x0',
  timestamp: '0x0',
  extraData: '0x11bbe8db4e347b4e8c937c1c8370e4b5ed33adb3db69cbdb7a38e1e50b1b82fa',
  mixHash: ZEROS,
  nonce: '0x0000000000000042',
  hash: '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
};

/** Ethereum's block 23,535,880, under Prague. */
const PRAGUE: Header = {
  parentHash: '0x1fab238a9630a2e95c8b735ebc63bc2751bc6492f409ee16a7b5a532985196eb',
  sha3Uncles: NO_UNCLES,
  miner: '0x4838b106fce9647bdf1e7877bf73ce8b0bad5f97',
  stateRoot: '0xd3c86549e5d57f14bd0b28630b70cb68038ac3334251bd194c93a18d96492f39',
  transactionsRoot: '0x9da0226f723a9da4b8df8782930c0e83bd73c4a393069ee7861465188eed989b',
  receiptsRoot: '0x01d0a60dd8fd8de710a191aba91f82e2a437ac21a6e77b21b2f745809e7feadf',
  logsBloom:
    '0x3effc77fb16497fa74fffeb6ef65dfbd7b97f8dd7f198ff37abfcf5fdeb329e7bdbc9d8caffdf765f7b75df9e737eff773fbf639ff9ffb376fb726a7ff2f68dffea0de7fafd3f7fbff8d5fdff57becf3e76f3f73fefc1ff9bbf9df7fb3fffff13f577b7fdffeb7f7ffb8cd71ff93fff3bfffd7e3bfbe576daefdfff6fb5afedf8ffbbd7d7baf977f46fbffceebfbe86fc6ffb6f1eff3fbbfbeb9eefbf954ffe3fbff9d73b8f9ecfdcfdf7df3fdd9ff3bbfdfe9efe8ffee6ff7fe4a3ff7a5fefbfffffcffcd7f2bc04bdf7c52d3fdfeff3f7dfe7b4fefa9f46edb53c2de9ffb7f3ffdff6fefa67f64f6e7f7bff5af1dffffeff9b99ff86fef589e3bbfffdfffb7',
  difficulty: '0x0',
  number: '0x1672108',
  gasLimit: '0x2aea540',
  gasUsed: '0x1d1e02e',
  timestamp: '0x68e6df9f',
  extraData: '0x546974616e2028746974616e6275696c6465722e78797a29',
  mixHash: '0x15350a0cad9bc5cb1298b3710db038850f1df5d8ac00c4ca3b03fb64c7e8ab78',
  nonce: '0x0000000000000000',
  baseFeePerGas: '0xb9e4be0',
  withdrawalsRoot: '0x0740ba007069960b2d60f77b0ce2648cffa3573accd055d4803eb771e32903e7',
  blobGasUsed: '0xc0000',
  excessBlobGas: '0x0',
  parentBeaconBlockRoot: '0x2bd55d2f0e1a3d3e181659ebc21bb167527e517de88b39b0d7ebbeeb3e28eebc',
  requestsHash: '0x965c860907968cab126093a785436ad747495ae45b21dac1b6a92ae0f4866ce0',
  hash: '0xe38d4bb2060a54519508612f40ef737a09c5b20488c12b0bec2d4f5ea7073c15',
};

describe('encodeHeader', () => {
  it.each([
    ['the first block', FIRST],
    ['a block under Prague', PRAGUE],
  ])('encodes %s to its hash', (_what, header) => {
    expect(keccak256(encodeHeader(header, header.hash!))).toBe(header.hash);
  });

  // anvil's rules before London have a base fee too.
  it.each([
    ['london', 'baseFeePerGas'],
    ['shanghai', 'withdrawalsRoot'],
    ['cancun', 'parentBeaconBlockRoot'],
    ['prague', 'requestsHash'],
  ])('encodes a block under the rules of %s', async (hardfork, last) => {
    const chain = await startAnvil({ host: '127.0.0.1', port: 0, log: () => undefined, hardfork });
    try {
      await ask(chain.url, 'anvil_mine', '0x1');
      const header = (await ask(chain.url, 'eth_getBlockByNumber', 'latest', false)) as Header;
      expect(header).toHaveProperty(last);
      expect(keccak256(encodeHeader(header, header.hash!))).toBe(header.hash);
    } finally {
      await chain.stop();
    }
  });

  it('ignores fields that are not part of the header', () => {
    const answer = { ...PRAGUE, size: '0x25f32', totalDifficulty: null, transactions: [], uncles: [] };
    expect(keccak256(encodeHeader(answer, PRAGUE.hash!))).toBe(PRAGUE.hash);
  });

  it('refuses a header of an unknown fork', () => {
    const { number, hash } = PRAGUE;
    const later = { ...PRAGUE, blockAccessListHash: ZEROS, slotNumber: '0x1', further: '0x2' };
    const refusal = new UnknownHeader(
      `the header of block ${Number(number)} is of a fork that is not known here: the fields up to slotNumber ` +
        `do not hash to ${hash}`,
    );
    expect(() => encodeHeader(later, hash!)).toThrow(refusal);
  });

  it.each(Object.keys(PRAGUE).filter((name) => name !== 'hash'))(
    'refuses a header with another %s',
    (name) => {
      const value = PRAGUE[name]!;
      const other = `${value.slice(0, -1)}${value.endsWith('1') ? '2' : '1'}`;
      expect(() => encodeHeader({ ...PRAGUE, [name]: other }, PRAGUE.hash!)).toThrow(UnknownHeader);
    },
  );

  it('refuses a header with a gap, and one with a malformed field', () => {
    const { blobGasUsed, ...gap } = PRAGUE;
    expect(blobGasUsed).toBeDefined();
    expect(() => encodeHeader(gap, PRAGUE.hash!)).toThrow(/the field blobGasUsed of a header is missing/);
    expect(() => encodeHeader({ ...PRAGUE, miner: 7 }, PRAGUE.hash!)).toThrow(/the field miner of a header/);
  });
});
