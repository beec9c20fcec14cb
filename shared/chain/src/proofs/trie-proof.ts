/**
 * Merkle-Patricia proofs, of accounts and of slots: the value that a trie has for a key, from the nodes on the way to it
 * (https://ethereum.org/developers/docs/data-structures-and-encoding/patricia-merkle-trie).
 */
import { decodeRlp, hexlify, type RlpStructuredData } from 'ethers/utils';
import { keccak } from '../keccak.ts';
import { dataToBytes } from '../rpc/hex.ts';

/** The root of a trie without entries: keccak(RLP of nothing). */
export const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';
const BRANCHES = 16;

/** The nodes do not lead from the root to the key's place. */
export class BadProof extends Error {
  override readonly name = 'BadProof';
}

/** The value of a key, and the nodes on the way to it. */
export interface Proven {
  /** RLP as hex; undefined where the nodes prove that there is none. */
  readonly value: string | undefined;
  /** In their order from the root, and no others. */
  readonly way: readonly string[];
}

/**
 * The value that a trie has for a key.
 * @param root the trie's hash: 0x and 64 hex digits
 * @param key before it is hashed: an address, or a slot
 * @param nodes the RLP of the nodes on the way, as `eth_getProof` gives them: some clients add those that are within others
 * @throws {BadProof} where they prove neither
 */
export function provenValue(root: string, key: Uint8Array, nodes: readonly string[]): Proven {
  const way: string[] = [];
  const proven = (value?: string): Proven => ({ value, way });
  if (root === EMPTY_ROOT) return proven();
  const known = new Map(nodes.map((node) => [hashOf(dataToBytes(node)), node]));
  const path = hashOf(key).slice(2);
  let at = 0;
  let next: RlpStructuredData = root;
  for (;;) {
    if (next === '0x') return proven();
    const rlp = typeof next === 'string' ? known.get(next) : undefined;
    if (rlp !== undefined) way.push(rlp);
    // A node of fewer than 32 bytes is in its parent, in place of its hash.
    const node: readonly RlpStructuredData[] = typeof next === 'string' ? nodeOf(rlp) : next;
    if (node.length === BRANCHES + 1) {
      next = node[Number.parseInt(path.charAt(at), BRANCHES)]!;
      at += 1;
      continue;
    }
    const [own, isLeaf] = readPath(node[0]);
    const rest = path.slice(at);
    if (isLeaf) return own === rest ? proven(valueOf(node[1])) : proven();
    if (own === '' || !rest.startsWith(own)) return proven();
    at += own.length;
    next = node[1]!;
  }
}

function hashOf(bytes: Uint8Array): string {
  return hexlify(keccak(bytes));
}

function nodeOf(rlp: string | undefined): readonly RlpStructuredData[] {
  if (rlp === undefined) throw new BadProof('a node on the way is missing');
  const node = decodeRlp(rlp);
  if (typeof node === 'string' || (node.length !== 2 && node.length !== BRANCHES + 1))
    throw new BadProof('a node on the way is no node of a trie');
  return node;
}

/** A node's part of the path, by the hex-prefix encoding. */
function readPath(encoded: RlpStructuredData | undefined): readonly [nibbles: string, isLeaf: boolean] {
  if (typeof encoded !== 'string' || encoded.length < 4) throw new BadProof('a node has no path');
  const flag = Number(encoded.slice(0, 3));
  return [encoded.slice(flag % 2 === 1 ? 3 : 4), flag >= 2];
}

function valueOf(value: RlpStructuredData | undefined): string {
  if (typeof value !== 'string' || value === '0x') throw new BadProof('a leaf has no value');
  return value;
}
