/**
 * Merkle-Patricia proofs of accounts and slots: the value that a trie holds for a key, from the nodes on the path to it
 * (https://ethereum.org/developers/docs/data-structures-and-encoding/patricia-merkle-trie).
 */
import { Fault } from '@hindsight/kernel/errors.ts';
import { decodeRlp, type RlpStructuredData } from 'ethers/utils';
import { keccakHex } from '../keccak.ts';
import { dataToBytes } from '../rpc/hex.ts';

/** The root of a trie without entries: keccak(RLP of nothing). */
export const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';
const BRANCHES = 16;

/** The nodes do not form a path from the root towards the key. */
export class BadProof extends Fault {}

export interface Proven {
  /** RLP as hex; undefined where the nodes prove that there is none. */
  readonly value: string | undefined;
  /** Only the nodes on the path, from the root on. */
  readonly proof: readonly string[];
}

/**
 * Finds the value that a trie holds for a key.
 * @param root the trie's hash: 0x and 64 hex digits
 * @param key before it is hashed: an address, or a slot
 * @param nodes the RLP of the nodes on the path, from `eth_getProof`: some clients repeat those that are embedded in others
 * @throws {BadProof} where they prove neither a value nor its absence
 */
export function provenValue(root: string, key: Uint8Array, nodes: readonly string[]): Proven {
  const proof: string[] = [];
  const proven = (value?: string): Proven => ({ value, proof });
  if (root === EMPTY_ROOT) return proven();
  const known = new Map(nodes.map((node) => [keccakHex(dataToBytes(node)), node]));
  const path = keccakHex(key).slice(2);
  let at = 0;
  let next: RlpStructuredData = root;
  for (;;) {
    if (next === '0x') return proven();
    const rlp = typeof next === 'string' ? known.get(next) : undefined;
    if (rlp !== undefined) proof.push(rlp);
    // A node of fewer than 32 bytes is embedded in its parent in place of its hash.
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

function nodeOf(rlp: string | undefined): readonly RlpStructuredData[] {
  if (rlp === undefined) throw new BadProof('a node on the path is missing');
  const node = decodeRlp(rlp);
  if (typeof node === 'string' || (node.length !== 2 && node.length !== BRANCHES + 1))
    throw new BadProof('a node on the path is not a trie node');
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
