import { describe, expect, it } from '@jest/globals';
import { ETHER_LOGS } from '@hindsight/chain/tokens/token-events.ts';
import { TRANSFER_TOPICS } from '../domain/transfers.ts';
import { readLogs } from '@hindsight/indexing/read-log.ts';
import { FIRST_SEEN } from './first-seen.ts';

const RANGE = { from: 10, to: 12 };
const HASH = { 10: `0x${'aa'.repeat(32)}`, 11: `0x${'bb'.repeat(32)}`, 12: `0x${'cc'.repeat(32)}` };
const [A, B] = [`0x${'1a'.repeat(20)}`, `0x${'2b'.repeat(20)}`];

type Fields = Readonly<Record<string, unknown>>;
const log = (block: 10 | 11 | 12, address: string, fields: Fields = {}) => ({
  blockNumber: `0x${block.toString(16)}`,
  blockHash: HASH[block],
  address,
  topics: [TRANSFER_TOPICS[0]],
  ...fields,
});
const read = (...logs: unknown[]) => readLogs('a node', logs, RANGE, FIRST_SEEN);

describe('the logs of a range', () => {
  it('show each contract at its first block, whatever their order and spelling', () => {
    const {
      count,
      found: contracts,
      hashes,
    } = read(
      log(12, A),
      log(12, A),
      log(12, B),
      log(11, B),
      log(11, A.toUpperCase().replace('0X', '0x')),
      log(12, B, { topics: [TRANSFER_TOPICS[1]] }),
    );
    expect(count).toBe(6);
    expect([...contracts.values()]).toEqual([
      { address: A, block: 11, blockHash: HASH[11] },
      { address: B, block: 11, blockHash: HASH[11] },
    ]);
    expect(hashes).toEqual(
      new Map([
        [12, HASH[12]],
        [11, HASH[11]],
      ]),
    );
  });

  it('are asked for by ConsecutiveTransfer too, the only event of NFTs that are minted as a range (ERC-2309)', () => {
    expect(FIRST_SEEN.topics).toContain('0xdeaa91b6123d068f5821d0fb0678463d1a8a6079fe8af5de3ce5e896dcf9133d');
  });

  it('of ether transfers (EIP-7708) name a block, and no contract, wherever they stand', () => {
    const {
      count,
      found: contracts,
      hashes,
    } = read(
      log(10, ETHER_LOGS),
      log(11, A),
      log(11, ETHER_LOGS.toUpperCase().replace('0X', '0x')),
      log(11, B),
      log(12, ETHER_LOGS),
      log(12, ETHER_LOGS),
    );
    expect(count).toBe(6);
    expect([...contracts.keys()]).toEqual([A, B]);
    expect([...hashes.keys()]).toEqual([10, 11, 12]);
  });

  it.each([undefined, '0x1a'])('are refused where one has the address %s', (address) => {
    const fault = 'a node returned logs that do not match the request';
    expect(() => read(log(10, A, { address }))).toThrow(fault);
    expect(() => read(log(10, A), log(10, B), log(10, A, { address }))).toThrow(fault);
  });
});
