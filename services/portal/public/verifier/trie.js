/* Written by npm run build:verifier, from clients/typescript/src/verify/trie.ts. */
import { areEqual, toHex } from './bytes.js';
import { keccak256 } from './keccak.js';
import { Refused } from './refused.js';
import { readList } from './rlp.js';
export const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';
const EMPTY_NODE = 0x80;
const KEY_NIBBLES = 64;
export function readProven(root, key, proof) {
  if (proof.nodes.length === 0 && toHex(root) === EMPTY_ROOT) return null;
  const walk = new Walk(proof);
  const value = follow(walk, walk.take(root), key);
  walk.end();
  return value;
}
class Walk {
  #proof;
  #taken = 0;
  constructor(proof) {
    this.#proof = proof;
  }
  take(hash) {
    const { name, nodes } = this.#proof;
    const node = nodes[this.#taken];
    if (node === undefined)
      throw new Refused('node_missing', `${name} ends before its path does, after ${this.#taken} nodes`);
    if (!areEqual(keccak256(node), hash))
      throw new Refused('node_hash', `${name}[${this.#taken}] does not have the hash that leads to it`);
    this.#taken += 1;
    return node;
  }
  end() {
    const { name, nodes } = this.#proof;
    if (this.#taken < nodes.length)
      throw new Refused('node_extra', `${name} has ${nodes.length} nodes, its path ${this.#taken}`);
  }
  malformed() {
    return new Refused('node_malformed', `${this.#proof.name}[${this.#taken - 1}] is not a node of a trie`);
  }
}
function follow(walk, root, key) {
  let node = root;
  let at = 0;
  if (node.length === 1 && node[0] === EMPTY_NODE) return null;
  for (;;) {
    const items = readList(node);
    let child;
    if (items?.length === 17) {
      if (at === KEY_NIBBLES) throw walk.malformed();
      child = items[nibbleOf(key, at)];
      at += 1;
    } else {
      const [path, next] = items?.length === 2 ? items : [];
      if (path === undefined || next === undefined) throw walk.malformed();
      const { isLeaf, nibbles } = readPath(path, walk);
      if (isLeaf) {
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
function nodeOf({ isList, body, encoded }, walk) {
  if (!isList && body.length === 32) return walk.take(body);
  if (!isList || encoded.length >= 32) throw walk.malformed();
  return encoded;
}
function isEmpty({ isList, body }) {
  return !isList && body.length === 0;
}
function readPath({ isList, body }, walk) {
  const flags = nibbleOf(body, 0);
  const isOdd = (flags & 1) === 1;
  if (isList || body.length === 0 || flags > 3 || (!isOdd && nibbleOf(body, 1) !== 0)) throw walk.malformed();
  const nibbles = [];
  for (let at = isOdd ? 1 : 2; at < 2 * body.length; at++) nibbles.push(nibbleOf(body, at));
  return { isLeaf: flags >= 2, nibbles };
}
function matches(key, from, nibbles) {
  return nibbles.every((nibble, at) => nibble === nibbleOf(key, from + at));
}
function nibbleOf(bytes, at) {
  const byte = bytes[at >> 1] ?? 0;
  return at % 2 === 0 ? byte >> 4 : byte & 15;
}
