/** A snapshot with `proof=storage`: each row can be verified with the records before it. */
import { describe, expect, it } from '@jest/globals';
import { HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { id, keccak256 } from 'ethers';
import { runBehindAlteredNode } from '../../test/support/on-devchain.ts';
import { slotOf } from '../../test/support/slots.ts';
import { askSnapshot, snapshotPath, type SnapshotAnswer } from '../../test/support/snapshots.ts';

const { alice, bob, carol } = HOLDERS;
const { uni, usdt, usdc, steth } = TOKENS;
const HEIGHT = 18_000_000;
/** More than a window, most of them with nothing. */
const MANY = [alice, bob, carol, ...Array.from({ length: 300 }, (_, i) => id(`holder ${i}`).slice(0, 42))];

const balance = forAllTests(runBehindAlteredNode, 'stop');

const ask = (
  holders: readonly string[],
  query: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<SnapshotAnswer> => {
  const asked = { block_height: String(HEIGHT), proof: 'storage', ...query };
  return askSnapshot(balance.url + snapshotPath(asked), holders.join('\n'), headers);
};

interface Row {
  readonly holder: string;
  readonly balance: string;
  readonly proof: { readonly key?: string; readonly nodes: readonly string[] };
}
interface Facts {
  readonly block_hash: string;
  readonly proof: {
    readonly header_rlp: string;
    readonly account_proof: readonly string[];
    readonly claim: string;
  };
}

/** The rows of an answer with the nodes that their proofs name. */
function proven({ records }: SnapshotAnswer): { facts: Facts; rows: readonly Row[] } {
  let nodes: string[] = [];
  let isAfterRow = true;
  const rows: Row[] = [];
  for (const record of records) {
    if (record.record === 'nodes') {
      if (isAfterRow) nodes = [];
      nodes.push(...(record.nodes as string[]));
    }
    isAfterRow = record.record !== 'nodes';
    if (record.record !== 'balance') continue;
    const row = record as unknown as Omit<Row, 'proof'> & { proof: { key?: string; nodes: number[] } };
    rows.push({ ...row, proof: { ...row.proof, nodes: row.proof.nodes.map((at) => nodes[at]!) } });
  }
  return { facts: records[0] as unknown as Facts, rows };
}

describe('a snapshot with proofs', () => {
  it.each([
    ['a token', usdt.address],
    ['one behind a proxy', usdc.address],
    ['ether', 'native'],
  ])('has the proof of each balance of %s, as a single answer has it', async (_what, token) => {
    const answer = await ask(MANY, { token_address: token });
    expect([answer.status, answer.records.at(-1)]).toMatchObject([
      200,
      { record: 'end', holders: 303, errors: 0 },
    ]);
    const { facts, rows } = proven(answer);
    expect(keccak256(facts.proof.header_rlp)).toBe(facts.block_hash);
    expect(rows.map(({ holder }) => holder.toLowerCase())).toEqual(MANY.map((one) => one.toLowerCase()));
    for (const holder of [alice, MANY[130]!, MANY.at(-1)!]) {
      const about = token === 'native' ? { holder } : { holder, token_address: token };
      const path = token === 'native' ? 'native' : 'single';
      const asked = { ...about, block_height: String(HEIGHT), proof: 'storage' };
      const { body } = await balance.ask(
        `/v1/eth-mainnet/balance/${path}?${new URLSearchParams(asked).toString()}`,
      );
      const own = rows.find((row) => row.holder === body.holder)!;
      const { key, nodes } = own.proof;
      expect(body).toMatchObject({ balance: own.balance });
      expect(body.proof).toEqual({
        ...facts.proof,
        ...(key === undefined
          ? { account_proof: nodes, storage: [] }
          : { storage: [{ key, value: `0x${BigInt(own.balance).toString(16)}`, proof: nodes }] }),
      });
    }
  });

  it('sends a node once that many rows share, and asks for one multiproof a window', async () => {
    let proofs = 0;
    balance.node.alter((method, result) => {
      if (method === 'eth_getProof') proofs += 1;
      return result;
    });
    const { records } = await ask(MANY.slice(0, 200), { token_address: usdt.address });
    const { nodes } = records.find(({ record }) => record === 'nodes') as unknown as { nodes: string[] };
    expect(new Set(nodes).size).toBe(nodes.length);
    // One more to open it.
    expect(proofs).toBe(3);
  });

  it('has the error of a row whose slot is not the balance', async () => {
    const { status, records } = await ask([bob], { token_address: steth.address });
    expect([status, records[1]]).toMatchObject([
      200,
      { record: 'error', line: 1, error: { code: 'not_provable' } },
    ]);
    expect(records.at(-1)).toMatchObject({ errors: 1, sum: '0' });
  });

  it('has no row whose proof is of another balance of ether than the answer', async () => {
    const asked = { block_height: String(HEIGHT), holder: alice };
    const path = `/v1/eth-mainnet/balance/native?${new URLSearchParams(asked).toString()}`;
    const { body } = await balance.ask(path);
    const [held, more] = [0n, 1n].map((by) =>
      (BigInt(body.balance as string) + by).toString(16).padStart(64, '0'),
    );
    balance.node.alter((method, result) =>
      method === 'eth_call' ? String(result).replaceAll(held!, more!) : result,
    );
    const { records } = await ask([alice], { token_address: 'native' });
    expect(records.slice(1)).toMatchObject([
      { record: 'error', line: 1, error: { code: 'node_failed' } },
      { record: 'end', errors: 1, sum: '0' },
    ]);
  });

  it('has the balances of names, and errors for rows without a holder', async () => {
    const { records } = await ask(['alice.eth', 'alice'], { token_address: usdt.address });
    const key = slotOf(alice, 1);
    expect(records.filter(({ record }) => record !== 'nodes').slice(1, 3)).toMatchObject([
      { record: 'balance', line: 1, holder: alice, proof: { key } },
      { record: 'error', line: 2 },
    ]);
  });

  it.each([
    ['several tokens', { token_address: `${uni.address},native` }, {}, /^proof: expected one token/],
    ['CSV', { token_address: uni.address }, { accept: 'text/csv' }, /^proof: expected application\/x-ndjson/],
    ['another proof', { token_address: uni.address, proof: 'all' }, {}, /^proof: expected storage/],
  ])('is refused for %s', async (_what, query, headers, message) => {
    const { status, records } = await ask([alice], query, headers);
    expect([status, records[0]]).toMatchObject([400, { message: expect.stringMatching(message) }]);
  });

  it.each(['native', uni.address])(
    'of %s is a 501 where no node can prove, before it begins',
    async (token) => {
      balance.node.alter((method, result) =>
        method === 'eth_getProof' ? new Error('missing trie node 1234 (path )') : result,
      );
      const { status, records } = await ask([alice], { token_address: token });
      expect([status, records[0]]).toMatchObject([501, { code: 'proof_unavailable' }]);
    },
  );
});
