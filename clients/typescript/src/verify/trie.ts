/**
 * A path through a Merkle-Patricia trie whose keys are hashes of 32 bytes, as those of accounts and of slots are.
 * Source: the Yellow Paper, appendix D; https://ethereum.org/developers/docs/data-structures-and-encoding/patricia-merkle-trie/
 */
import { areEqual, toHex } from './bytes.ts';
import { keccak256 } from './keccak.ts';
import { Refused } from './refused.ts';
import { readList, type RlpItem } from './rlp.ts';

/** The root of a trie without entries: the hash of an empty string's encoding. */
export const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';
const EMPTY_NODE = 0x80;
const KEY_NIBBLES = 64;

/** A proof: the nodes from the root on, without those that are embedded in their parent. */
export interface TrieProof {
  /** Its name in messages: `account_proof`. */
  readonly name: string;
  readonly nodes: readonly Uint8Array[];
}

/**
 * The value of a key in the trie of a root; null where the proof shows that it has none.
 * @throws {Refused} where the nodes are not exactly those of the key's path
 */
export function readProven(root: Uint8Array, key: Uint8Array, proof: TrieProof): Uint8Array | null {
  // An empty trie has no node to prove anything with; some servers send the empty node, others none.
  if (proof.nodes.length === 0 && toHex(root) === EMPTY_ROOT) return null;
  const walk = new Walk(proof);
  const value = follow(walk, walk.take(root), key);
  walk.end();
  return value;
}

/** The nodes of a proof in their order, each taken once. */
class Walk {
  readonly #proof: TrieProof;
  #taken = 0;

  constructor(proof: TrieProof) {
    this.#proof = proof;
  }

  /** The next node, which must have this hash. */
  take(hash: Uint8Array): Uint8Array {
    const { name, nodes } = this.#proof;
    const node = nodes[this.#taken];
    if (node === undefined)
      throw new Refused('node_missing', `${name} ends before its path does, after ${this.#taken} nodes`);
    if (!areEqual(keccak256(node), hash))
      throw new Refused('node_hash', `${name}[${this.#taken}] does not have the hash that leads to it`);
    this.#taken += 1;
    return node;
  }

  /** Refuses nodes that are not part of the path. */
  end(): void {
    const { name, nodes } = this.#proof;
    if (this.#taken < nodes.length)
      throw new Refused('node_extra', `${name} has ${nodes.length} nodes, its path ${this.#taken}`);
  }

  malformed(): Refused {
    return new Refused('node_malformed', `${this.#proof.name}[${this.#taken - 1}] is not a node of a trie`);
  }
}

function follow(walk: Walk, root: Uint8Array, key: Uint8Array): Uint8Array | null {
  let node = root;
  let at = 0;
  if (node.length === 1 && node[0] === EMPTY_NODE) return null;
  for (;;) {
    const items = readList(node);
    let child: RlpItem | undefined;
    if (items?.length === 17) {
      if (at === KEY_NIBBLES) throw walk.malformed();
      child = items[nibbleOf(key, at)];
      at += 1;
    } else {
      const [path, next] = items?.length === 2 ? items : [];
      if (path === undefined || next === undefined) throw walk.malformed();
      const { isLeaf, nibbles } = readPath(path, walk);
      if (isLeaf) {
        // All keys have one length, so a leaf ends where they do.
        if (at + nibbles.length !== KEY_NIBBLES || next.isList || next.body.length === 0)
          throw walk.malformed();
        return matches(key, at, nibbles) ? next.body : null;
      }
      if (nibbles.length === 0 || at + nibbles.length >= KEY_NIBBLES || isEmpty(next)) throw walk.malformed();
      if (!matches(key, at, nibbles)) return null;
      child = next;
      at += nibbles.length;
    }
    if (child === undefined) throw walk.malformed();
    if (isEmpty(child)) return null;
    node = nodeOf(child, walk);
  }
}

/** The node that an item refers to by its hash, or embeds if it has fewer than 32 bytes. */
function nodeOf({ isList, body, encoded }: RlpItem, walk: Walk): Uint8Array {
  if (!isList && body.length === 32) return walk.take(body);
  if (!isList || encoded.length >= 32) throw walk.malformed();
  return encoded;
}

function isEmpty({ isList, body }: RlpItem): boolean {
  return !isList && body.length === 0;
}

/** A path in its hex-prefix encoding: the first nibble says whether it is a leaf's, and whether its length is odd. */
function readPath({ isList, body }: RlpItem, walk: Walk): { isLeaf: boolean; nibbles: readonly number[] } {
  const flags = nibbleOf(body, 0);
  const isOdd = (flags & 1) === 1;
  if (isList || flags > 3 || (!isOdd && nibbleOf(body, 1) !== 0)) throw walk.malformed();
  const nibbles: number[] = [];
  for (let at = isOdd ? 1 : 2; at < 2 * body.length; at++) nibbles.push(nibbleOf(body, at));
  return { isLeaf: flags >= 2, nibbles };
}

function matches(key: Uint8Array, from: number, nibbles: readonly number[]): boolean {
  return nibbles.every((nibble, at) => nibble === nibbleOf(key, from + at));
}

function nibbleOf(bytes: Uint8Array, at: number): number {
  const byte = bytes[at >> 1] ?? 0;
  return at % 2 === 0 ? byte >> 4 : byte & 15;
}
