import { createMerkleProof, MerklePatriciaTrie, verifyMerkleProof } from '@ethereumjs/mpt';
import { RLP } from '@ethereumjs/rlp';
import { describe, expect, it } from '@jest/globals';
import { keccak256 } from './keccak.ts';
import { Refused } from './refused.ts';
import { readProven } from './trie.ts';

const NAME = 'a proof';
const EMPTY = keccak256(Uint8Array.of(0x80));
const bytesFrom = (seed: string): Uint8Array => keccak256(new TextEncoder().encode(seed));
/** A key of 32 bytes that differs from the others late: its leaf has fewer than 32 bytes, so it is embedded in its parent. */
const lateKey = (last: number): Uint8Array => Uint8Array.from([...new Uint8Array(31), last]);

async function trieOf(entries: readonly (readonly [Uint8Array, Uint8Array])[]): Promise<MerklePatriciaTrie> {
  const trie = new MerklePatriciaTrie();
  for (const [key, value] of entries) await trie.put(key, value);
  return trie;
}

function refusalOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    return error instanceof Refused ? error.reason : String(error);
  }
}

describe('readProven', () => {
  it.each([1, 2, 17, 400])(
    'agrees with another implementation, over %d entries and as many others',
    async (count) => {
      const entries = Array.from(
        { length: count },
        (_, at) => [bytesFrom(`key ${at}`), bytesFrom(`value ${at}`).subarray(0, 1 + (at % 32))] as const,
      );
      const trie = await trieOf(entries);
      const keys = [...entries.map(([key]) => key), ...entries.map((_, at) => bytesFrom(`absent ${at}`))];
      let present = 0;
      for (const key of keys) {
        const nodes = await createMerkleProof(trie, key);
        const value = readProven(trie.root(), key, { name: NAME, nodes });
        expect(value).toEqual(await verifyMerkleProof(key, nodes, { root: trie.root() }));
        expect(value).toEqual(await trie.get(key));
        present += value === null ? 0 : 1;
      }
      expect(present).toBe(count);
    },
  );

  it('follows nodes that are embedded in their parent', async () => {
    const entries = [0x10, 0x11, 0x12, 0x20].map((last) => [lateKey(last), Uint8Array.of(last)] as const);
    const trie = await trieOf(entries);
    // The other implementation lists them too.
    const ownNodes = async (key: Uint8Array) =>
      (await createMerkleProof(trie, key)).filter(({ length }) => length >= 32);
    for (const [key, value] of entries) {
      const nodes = await ownNodes(key);
      expect(nodes.length).toBeLessThan((await createMerkleProof(trie, key)).length);
      expect(readProven(trie.root(), key, { name: NAME, nodes })).toEqual(value);
    }
    const nodes = await ownNodes(lateKey(0x13));
    expect(readProven(trie.root(), lateKey(0x13), { name: NAME, nodes })).toBeNull();
  });

  it('finds nothing in a trie without entries, with its node or without', () => {
    for (const nodes of [[], [Uint8Array.of(0x80)]])
      expect(readProven(EMPTY, bytesFrom('any'), { name: NAME, nodes })).toBeNull();
  });

  it('requires each node of the path once and in order', async () => {
    const trie = await trieOf(Array.from({ length: 400 }, (_, at) => [bytesFrom(`${at}`), bytesFrom('v')]));
    const key = bytesFrom('7');
    const nodes = await createMerkleProof(trie, key);
    const read = (changed: readonly Uint8Array[]) =>
      refusalOf(() => readProven(trie.root(), key, { name: NAME, nodes: changed }));
    expect(nodes.length).toBeGreaterThanOrEqual(3);
    expect(read(nodes)).toBeUndefined();
    expect(read([])).toBe('node_missing');
    expect(read(nodes.slice(0, -1))).toBe('node_missing');
    expect(read(nodes.slice(1))).toBe('node_hash');
    expect(read([...nodes.slice(0, 1), ...nodes.slice(2)])).toBe('node_hash');
    expect(read([...nodes.slice(0, 1), ...nodes])).toBe('node_hash');
    expect(read([...nodes, nodes.at(-1)!])).toBe('node_extra');
    expect(read([nodes[1]!, nodes[0]!, ...nodes.slice(2)])).toBe('node_hash');
  });

  it('refuses a branch where the key has ended', () => {
    const empty = Uint8Array.of();
    const last = RLP.encode([Array<Uint8Array>(17).fill(empty), ...Array<Uint8Array>(16).fill(empty)]);
    const first = RLP.encode([Uint8Array.from([0x10, ...new Uint8Array(31)]), keccak256(last)]);
    const proof = { name: NAME, nodes: [first, last] };
    expect(refusalOf(() => readProven(keccak256(first), new Uint8Array(32), proof))).toBe('node_malformed');
  });

  const short = Uint8Array.of(5);
  const path = (flags: number, bytes = 0): Uint8Array => Uint8Array.from([flags, ...new Uint8Array(bytes)]);
  it.each([
    ['a string', short],
    ['a list of three', [short, short, short]],
    ['a leaf with a value of no bytes', [path(0x20, 32), Uint8Array.of()]],
    ['a leaf whose path is too short', [path(0x20, 31), short]],
    ['a leaf whose path is too long', [path(0x20, 33), short]],
    ['a leaf with a list', [path(0x20, 32), [short]]],
    ['a path with an unknown flag', [path(0x40, 32), short]],
    ['a path of an even length with a nibble before it', [path(0x21, 32), short]],
    ['a path that is a list', [[...path(0x20, 32)].map((byte) => Uint8Array.of(byte)), short]],
    ['a path of no bytes', [Uint8Array.of(), bytesFrom('child')]],
    ['a branch to an empty list', Array.from({ length: 17 }, () => [])],
    ['an extension without a path', [path(0x00), bytesFrom('child')]],
    ['an extension to nowhere', [path(0x00, 1), Uint8Array.of()]],
    ['an extension beyond the key', [path(0x00, 32), bytesFrom('child')]],
    ['an extension to a short hash', [path(0x00, 1), bytesFrom('child').subarray(1)]],
    ['a node of 32 bytes that is embedded in its parent', [path(0x00, 30), [path(0x20, 2), path(1, 25)]]],
  ])('refuses a node that is %s', (_what, content) => {
    const node = RLP.encode(content);
    const key = new Uint8Array(32);
    expect(refusalOf(() => readProven(keccak256(node), key, { name: NAME, nodes: [node] }))).toBe(
      'node_malformed',
    );
  });
});
