/** A snapshot with proofs, as the client and the command verify its records. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifySnapshot, type SnapshotVerdict, type VerifiedRow } from '@hindsight/client/verify-snapshot';
import { HOLDERS, TOKENS, UNUSED_ADDRESS } from '@hindsight/devchain/world.ts';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { solidityPackedKeccak256 } from 'ethers';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { run } from '../../clients/cli/src/run.ts';
import { makeFastKey } from '../support/fast-key.ts';
import { prove, proveBalance } from '../support/proven-answers.ts';
import { sharedHindsight } from '../support/shared-hindsight.ts';
import { compose } from './snapshot-fuzz.ts';

const BLOCK = 17_999_900;
const { alice, bob, carol } = HOLDERS;
const { usdt, uni } = TOKENS;
const ALL = [alice, bob, UNUSED_ADDRESS, carol];

/** A record as JSON gives it; a test changes its copy. */
type Wire = Record<string, unknown> & {
  block_hash: string;
  proof: { nodes: number[]; key: string; account_proof: string[]; header_rlp: string; claim: string };
  nodes: string[];
};

let take: (token: string, holders: readonly string[], block?: number) => Promise<Wire[]>;
let records: Wire[];
let ether: Wire[];
let blockHash: string;
beforeAll(async () => {
  const { url, dataDir } = await sharedHindsight(process.env);
  const headers = { 'x-api-key': await makeFastKey(dataDir), 'content-type': 'text/plain' };
  take = async (token, holders, block = BLOCK) => {
    const query = `token_address=${token}&block_height=${block}&proof=storage`;
    const body = holders.join('\n');
    const answer = await fetch(`${url}/v1/eth-mainnet/balance/snapshot?${query}`, {
      method: 'POST',
      headers,
      body,
    });
    expect(answer.status).toBe(200);
    return (await answer.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Wire);
  };
  [records, ether] = [await take(usdt.address, ALL), await take('native', ALL)];
  blockHash = records[0]!.block_hash;
});

const check = (all: readonly unknown[], index?: bigint): Promise<SnapshotVerdict> =>
  verifySnapshot(all, { blockHash, index, layout: index === undefined ? undefined : 'solidity' });

/** The records with a change in a copy of them. */
function changed(change: (all: Wire[]) => void, from = records): Wire[] {
  const copy = structuredClone(from);
  change(copy);
  return copy;
}

/** An end that fits a snapshot of nothing. */
const NO_ROWS = { record: 'end', holders: 0, sum: '0' } as unknown as Wire;

const rowOf = (all: Wire[], at = 0): Wire => all.filter(({ record }) => record === 'balance')[at]!;
const sumOf = (all: Wire[]): string => all.at(-1)!.sum as string;

describe('verifySnapshot', () => {
  it('confirms the balances of a token and of ether', async () => {
    for (const all of [records, ether]) {
      const rows: VerifiedRow[] = [];
      const verdict = await verifySnapshot(all, { blockHash, onRow: (row) => rows.push(row) });
      expect(verdict).toEqual({
        verified: true,
        refusal: null,
        rows: 4,
        verifiedRows: 4,
        sum: BigInt(sumOf(all)),
      });
      expect(rows.map(({ row, holder }) => [row, holder])).toEqual(ALL.map((one, i) => [i + 1, one]));
    }
  });

  it('confirms rows whose nodes come in several records', async () => {
    const all = changed((copy) => {
      const at = copy.findIndex(({ record }) => record === 'nodes');
      const { nodes } = copy[at]!;
      copy.splice(at, 1, ...nodes.map((node) => ({ ...copy[at]!, nodes: [node] })));
    });
    expect(all.length).toBeGreaterThan(records.length);
    expect(await check(all)).toMatchObject({ verified: true, rows: 4 });
  });

  it('confirms a snapshot that was continued, and one of which the mapping is known', async () => {
    const [first, second] = [
      await take(usdt.address, ALL.slice(0, 2)),
      await take(usdt.address, ALL.slice(2)),
    ];
    const verdict = await check([...first.slice(0, -1), ...second], 1n);
    expect(verdict).toMatchObject({ verified: true, rows: 4, sum: BigInt(sumOf(records)) });
    expect(await check(records, 2n)).toMatchObject({ verified: false, refusal: { reason: 'other_slot' } });
  });

  it('confirms parts that each have an end', async () => {
    const parts = [await take(usdt.address, ALL.slice(0, 2)), await take(usdt.address, ALL.slice(2))];
    const rows: number[] = [];
    const onRow = ({ row }: VerifiedRow): void => void rows.push(row);
    const known = { blockHash, index: 1n, layout: 'solidity' } as const;
    expect(await verifySnapshot(parts.flat(), { ...known, onRow })).toMatchObject({
      verified: true,
      rows: 4,
    });
    expect(rows).toEqual([1, 2, 3, 4]);
  });

  it('confirms a part after one that ended with its nodes', async () => {
    const other = await take(usdt.address, [carol]);
    const cut = other.slice(0, other.findIndex(({ record }) => record === 'nodes') + 1);
    expect(await check([...cut, ...records])).toMatchObject({ verified: true, rows: 4 });
  });

  it('counts a row twice that two parts have', async () => {
    const begun = records.slice(0, records.indexOf(rowOf(records)) + 1);
    const verdict = await check([...begun, ...records]);
    const sum = BigInt(sumOf(records)) + BigInt(rowOf(records).balance as string);
    expect(verdict).toMatchObject({ verified: true, rows: 5, verifiedRows: 5, sum });
  });

  it('does not confirm a zero before the mapping is known', async () => {
    const zero = await take(usdt.address, [UNUSED_ADDRESS, alice]);
    expect(await check(zero)).toMatchObject({
      verified: false,
      verifiedRows: 1,
      refusal: { reason: 'slot_unknown', message: expect.stringMatching(/^row 1: /) },
    });
    expect(await check(zero, 1n)).toMatchObject({ verified: true, rows: 2 });
  });

  it.each<[string, string, (all: Wire[]) => void]>([
    [
      'another amount',
      'slot_value',
      (all) => (rowOf(all).balance = `${BigInt(rowOf(all).balance as string) + 1n}`),
    ],
    ['another holder', 'slot_unexplained', (all) => (rowOf(all).holder = carol)],
    [
      'swapped proofs',
      'slot_value',
      (all) => {
        [rowOf(all).proof, rowOf(all, 1).proof] = [rowOf(all, 1).proof, rowOf(all).proof];
      },
    ],
    ['a node left out', 'node_missing', (all) => rowOf(all).proof.nodes.pop()],
    ['a node twice', 'node_extra', (all) => rowOf(all).proof.nodes.push(0)],
    ['a number of no node', 'invalid_answer', (all) => rowOf(all).proof.nodes.splice(0, 1, 7_000)],
    [
      'nodes in another order',
      'node_hash',
      (all) => all.find(({ record }) => record === 'nodes')!.nodes.reverse(),
    ],
    ['another slot of another mapping', 'node_hash', (all) => (rowOf(all).proof.key = `0x${'1'.repeat(64)}`)],
    ['a row left out', 'invalid_answer', (all) => all.splice(all.indexOf(rowOf(all, 1)), 1)],
    ['the last row left out', 'incomplete', (all) => all.splice(-2, 1)],
    ['an error in place of a row', 'no_balance', (all) => (rowOf(all, 1).record = 'error')],
    ['no end', 'incomplete', (all) => all.pop()],
    ['no rows', 'incomplete', (all) => all.splice(1, all.length, NO_ROWS)],
    ['an end alone', 'incomplete', (all) => all.splice(0, all.length, NO_ROWS)],
    ['a row after the end', 'invalid_answer', (all) => all.push({ ...rowOf(all), line: 5 })],
    ['another sum', 'amount', (all) => (all.at(-1)!.sum = '1')],
    ['another header', 'header_hash', (all) => (all[0]!.proof.header_rlp += '00')],
    ['another block', 'other_block', (all) => (all[0]!.block_hash = `0x${'2'.repeat(64)}`)],
    ['no proofs', 'no_proof', (all) => delete (all[0] as Partial<Wire>).proof],
    [
      'the facts of one id of a token',
      'invalid_answer',
      (all) => (all[0]!.tokens = [{ token_address: usdt.address, token_id: '5' }]),
    ],
    ['no facts', 'invalid_answer', (all) => all.shift()],
    ['the claim of shares', 'shares', (all) => (all[0]!.proof.claim = 'slot-is-shares')],
    ['another claim', 'claim', (all) => (all[0]!.proof.claim = 'account-is-balance')],
    ['a line that is no record', 'invalid_answer', (all) => all.splice(2, 0, null as never)],
    [
      'a path longer than any',
      'too_large',
      (all) => (rowOf(all).proof.nodes = Array<number>(10_000).fill(0)),
    ],
    ['nodes that are no list', 'invalid_answer', (all) => (all[1]!.nodes = {} as never)],
    [
      'the facts of two tokens',
      'claim',
      (all) => (all[0]!.tokens = Array<unknown>(2).fill((all[0]!.tokens as unknown[])[0])),
    ],
    ['too many nodes', 'too_large', (all) => (all[1]!.nodes = Array<string>(10_000).fill('0x'))],
  ])('refuses %s', async (_lie, reason, change) => {
    expect(await check(changed(change))).toMatchObject({ verified: false, refusal: { reason } });
  });

  it('refuses a zero by the mapping of another compiler, once the token’s is known', async () => {
    const at = { url: (await sharedDevchain(process.env)).url, block: BLOCK };
    const [shown, told] = [
      await proveBalance(at, uni.address, alice),
      await proveBalance(at, uni.address, carol),
    ];
    const key = solidityPackedKeccak256(['uint256', 'uint256'], [0, carol]);
    const lie = { ...told, ...(await prove(at, uni.address, key)), balance: '0' };
    expect(
      await verifySnapshot(compose(uni.address, [shown, told]), { blockHash: shown.block_hash }),
    ).toMatchObject({
      verified: true,
    });
    expect(
      await verifySnapshot(compose(uni.address, [shown, lie]), { blockHash: shown.block_hash }),
    ).toMatchObject({
      verified: false,
      refusal: { reason: 'other_slot' },
    });
  });

  it('refuses the rows of another token, and of ether in place of a token', async () => {
    const other = await take(uni.address, ALL);
    expect(await check([records[0], ...other.slice(1)])).toMatchObject({ verified: false });
    expect(await check([...records.slice(0, -1), ...other])).toMatchObject({
      verified: false,
      refusal: { reason: 'invalid_answer', message: expect.stringMatching(/different tokens/) },
    });
    expect(await check([ether[0], ...records.slice(1)])).toMatchObject({ verified: false });
  });
});

describe('hindsight verify of a snapshot', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-snapshot-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const command = async (all: readonly Wire[], ...words: string[]): Promise<[number, string, string]> => {
    const file = join(folder, 'snapshot.ndjson');
    writeFileSync(file, all.map((record) => `${JSON.stringify(record)}\n`).join(''));
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const env = { HINDSIGHT_URL: 'http://127.0.0.1:1', XDG_CONFIG_HOME: folder };
    const context = { env, stdin: Readable.from([]), stdout, stderr };
    const asked = ['verify', file, '--block-hash', blockHash, ...words];
    const code = await run(asked, { ...context, signal: new AbortController().signal });
    stdout.end();
    stderr.end();
    return [code, await text(stdout), await text(stderr)];
  };

  it('confirms a file, and names what it does not confirm', async () => {
    const [code, out] = await command(records);
    expect([code, out]).toEqual([
      0,
      `verified: 4 of 4 rows are verified, ${sumOf(records)} (smallest unit) in all  block ${BLOCK}\n` +
        'slots of solidity 1\n',
    ]);
    const [failed, , said] = await command(records.slice(0, -1));
    expect([failed, said]).toEqual([
      1,
      expect.stringMatching(/not verified \(incomplete\): .*; 4 of 4 rows/),
    ]);
    const [usage] = await command(records, '--key', `0x${'1'.repeat(64)}`);
    expect(usage).toBe(2);
  });
});
