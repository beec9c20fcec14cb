/** States that no chain has, under a header of the trusted hash: what is not read for certain is refused. */
import { createMerkleProof, MerklePatriciaTrie } from '@ethereumjs/mpt';
import { RLP, type Input } from '@ethereumjs/rlp';
import { expect, it } from '@jest/globals';
import { join, parseBytes, toHex, toWord } from './bytes.ts';
import { keccak256 } from './keccak.ts';
import { verifySnapshot } from './snapshot.ts';
import { verify, type Trusted } from './verify.ts';

const TOKEN = `0x${'70'.repeat(20)}`;
const HOLDER = `0x${'40'.repeat(20)}`;
const KEY = toWord(7n);
const CODE = new Uint8Array(32).fill(0xc0);
const ROOT = new Uint8Array(32).fill(0x50);

interface State {
  /** Of the holder and of the token; by default its storage has a 5 at the key. */
  readonly account?: (storageRoot: Uint8Array) => Input;
  /** The encoded value of the slot. */
  readonly value?: Uint8Array;
  readonly header?: (fields: Uint8Array[]) => Input;
}

/** An answer, and what its caller knows. */
interface Asked {
  /** Of the slot that is proven; by default `KEY`, which is told. */
  readonly key?: Uint8Array;
  readonly amount?: string;
  readonly known?: Omit<Trusted, 'blockHash'>;
  /** The amount as the answer has it. */
  readonly told?: unknown;
  /** The value of the slot as the proof has it. */
  readonly stated?: string;
  readonly change?: (nodes: string[]) => unknown;
}

/** Verifies an answer about a state of these parts. */
async function verifyIn(
  { account = token, value = Uint8Array.of(5), header = (fields) => fields }: State,
  {
    key = KEY,
    amount = '5',
    known = { key: toHex(key) },
    told = amount,
    stated = `0x${BigInt(amount).toString(16)}`,
    change = (all) => all,
  }: Asked = {},
) {
  const storage = new MerklePatriciaTrie();
  await storage.put(keccak256(KEY), value);
  const state = new MerklePatriciaTrie();
  const place = keccak256(new Uint8Array(20).fill(0x70));
  await state.put(place, RLP.encode(account(storage.root())));
  const fields = Array.from({ length: 15 }, (): Uint8Array => new Uint8Array());
  [fields[3], fields[8], fields[11]] = [state.root(), Uint8Array.of(9), Uint8Array.of(100)];
  const encoded = RLP.encode(header(fields));
  const nodes = async (trie: MerklePatriciaTrie, key: Uint8Array) =>
    (await createMerkleProof(trie, key)).map(toHex);
  const slot = { key: toHex(key), value: stated, proof: await nodes(storage, keccak256(key)) };
  const blockHash = toHex(keccak256(encoded));
  const proof = {
    header_rlp: toHex(encoded),
    account_proof: change(await nodes(state, place)),
    storage: [slot],
    claim: 'slot-is-balance',
  };
  const block = { checked_at_block: 9, checked_at_date: '1970-01-01T00:01:40.000Z', block_hash: blockHash };
  const answer = { token_address: TOKEN, holder: HOLDER, balance: told, ...block, proof };
  return verify(answer, { blockHash, ...known });
}

const NONCE = Uint8Array.of(1);
const WEI = Uint8Array.of(2);
const token = (root: Uint8Array): Input => [NONCE, WEI, root, CODE];

it('confirms the state of a chain, whatever fields later forks put at the end of its header', async () => {
  expect(await verifyIn({})).toMatchObject({ verified: true, amount: 5n });
  expect(await verifyIn({ header: (fields) => [...fields, ROOT, ROOT] })).toMatchObject({ verified: true });
});

it.each<[string, State]>([
  ['of five fields', { account: (root) => [NONCE, WEI, root, CODE, NONCE] }],
  ['of three fields', { account: (root) => [NONCE, WEI, root] }],
  ['whose nonce is a list', { account: (root) => [[], WEI, root, CODE] }],
  ['whose balance has a leading zero', { account: (root) => [NONCE, Uint8Array.of(0, 2), root, CODE] }],
  ['whose root is a list', { account: (root) => [NONCE, WEI, [root.subarray(1)], CODE] }],
  ['whose root is short', { account: (root) => [NONCE, WEI, root.subarray(1), CODE] }],
  ['whose code is a list', { account: (root) => [NONCE, WEI, root, [CODE.subarray(1)]] }],
  ['that is no list', { account: (root) => root }],
  ['whose slot has a list', { value: Uint8Array.of(0xc1, 5) }],
  ['whose slot has two values', { value: Uint8Array.of(5, 5) }],
  ['whose slot has a leading zero', { value: RLP.encode(Uint8Array.of(0, 5)) }],
])('refuses an account %s', async (_what, state) => {
  expect(await verifyIn(state)).toMatchObject({ verified: false, reason: 'node_malformed' });
});

it.each<[string, (fields: Uint8Array[]) => Input]>([
  ['fewer fields than the first block’s', (fields) => fields.slice(0, 14)],
  ['no list', () => ROOT],
  ['a short state root', (fields) => fields.with(3, ROOT.subarray(1))],
  ['a list as its state root', (fields) => fields.with(3, [ROOT.subarray(1)] as never)],
  ['a number with a leading zero', (fields) => fields.with(8, Uint8Array.of(0, 9))],
  ['a time that is a list', (fields) => fields.with(11, [] as never)],
])('refuses a header of %s', async (_what, header) => {
  expect(await verifyIn({ header })).toMatchObject({ verified: false, reason: 'header_malformed' });
});

it('refuses a token without code, whatever its storage', async () => {
  const none = keccak256(new Uint8Array());
  expect(await verifyIn({ account: (root) => [NONCE, WEI, root, none] })).toMatchObject({
    reason: 'no_contract',
  });
});

it('reads an amount in decimal digits alone, and of 256 bits', async () => {
  for (const told of ['5', 5n, '05', `${'0'.repeat(77)}5`])
    expect(await verifyIn({}, { told })).toMatchObject({ verified: true, amount: 5n });
  for (const told of ['0x5', '5e0', ' 5', '-5', '', 5, -5n, 2n ** 256n, `${'0'.repeat(78)}5`])
    expect(await verifyIn({}, { told })).toMatchObject({
      reason: 'invalid_answer',
      message: 'balance: expected a whole number in decimal digits, as a string',
    });
});

it('reads the value of a slot in hexadecimal digits alone, and of 256 bits', async () => {
  for (const stated of ['0x5', '0x05', `0x${'0'.repeat(63)}5`])
    expect(await verifyIn({}, { stated })).toMatchObject({ verified: true });
  for (const stated of ['5', '0x', ' 0x5', '0x0g', `0x${'0'.repeat(64)}5`])
    expect(await verifyIn({}, { stated })).toMatchObject({
      message: 'proof.storage[0].value: expected 0x and 1 to 64 hexadecimal digits',
    });
});

it('reads the entries of a list, whatever else it has', async () => {
  const change = (nodes: string[]): unknown => Object.assign(nodes, { map: () => [] });
  expect(await verifyIn({}, { change })).toMatchObject({ verified: true });
});

it('says what is not read: an answer, a proof or a slot that is a list, and a record that is none', async () => {
  const trusted = { blockHash: toHex(ROOT) };
  const proof = { header_rlp: '0x', account_proof: [], claim: 'slot-is-balance', storage: [[]] };
  const block = { checked_at_block: 9, checked_at_date: '1970-01-01T00:01:40.000Z', block_hash: toHex(ROOT) };
  const answer = { token_address: TOKEN, holder: HOLDER, balance: '5', ...block, proof };
  for (const [what, told] of [
    ['the answer', []],
    ['the answer', null],
    ['proof', { ...answer, proof: [] }],
    ['proof.storage[0]', answer],
  ] as const)
    expect(verify(told, trusted)).toMatchObject({ message: `${what}: expected an object` });
  expect(verify({ ...answer, proof: null }, trusted)).toMatchObject({ reason: 'no_proof' });
  const { refusal } = await verifySnapshot([null], trusted);
  expect(refusal).toEqual({ reason: 'invalid_answer', message: 'a line: expected a record' });
});

it('takes no more nodes of a window than it can need, in however many records they come', async () => {
  const reasonOf = async (length: number): Promise<unknown> => {
    const half = { record: 'nodes', nodes: Array<string>(length).fill('0x') };
    const records = [{ record: 'facts', proof: {} }, half, half];
    return (await verifySnapshot(records, { blockHash: toHex(ROOT) })).refusal?.reason;
  };
  expect([await reasonOf(64 * 65), await reasonOf(64 * 65 + 1)]).toEqual(['incomplete', 'too_large']);
});

it('confirms a zero of Solady by its layout alone, as that has no index, and no zero of another layout', async () => {
  const solady = keccak256(join(parseBytes(HOLDER)!, toWord(0x87a211a2n).subarray(20)));
  const ofLayout = (layout: 'solady' | 'solidity' | undefined, key = solady) =>
    verifyIn({}, { key, amount: '0', known: { layout } });
  expect(await ofLayout('solady')).toMatchObject({ verified: true, slot: { layout: 'solady', index: null } });
  expect(await ofLayout(undefined)).toMatchObject({ reason: 'slot_unknown' });
  expect(await ofLayout('solidity')).toMatchObject({ reason: 'other_slot' });
  const first = keccak256(join(new Uint8Array(12), parseBytes(HOLDER)!, toWord(0n)));
  expect(await ofLayout('solidity', first)).toMatchObject({ reason: 'slot_unknown' });
  expect(await ofLayout(undefined, toWord(1n))).toMatchObject({ reason: 'slot_unexplained' });
});
