import { describe, expect, it } from '@jest/globals';
import { concat, encodeRlp, getBytes, keccak256, toBeHex } from 'ethers';
import { BadProof, EMPTY_ROOT as EMPTY, provenValue } from './trie-proof.ts';

/** A key, and its place in a trie. */
const KEY = getBytes('0x01');
const PATH = keccak256(KEY).slice(2);
const VALUE = toBeHex(7);

/** A part of a path, by the hex-prefix encoding. */
function pathOf(nibbles: string, isLeaf: boolean): string {
  const flag = (isLeaf ? 2 : 0) + (nibbles.length % 2);
  return `0x${flag.toString()}${nibbles.length % 2 === 0 ? '0' : ''}${nibbles}`;
}

/** A branch with one child. */
function branch(nibble: string, next: string): string {
  return encodeRlp(Array.from({ length: 17 }, (_, at) => (at === Number.parseInt(nibble, 16) ? next : '0x')));
}

const leaf = (from: number, path = PATH): string => encodeRlp([pathOf(path.slice(from), true), VALUE]);

describe('provenValue', () => {
  const alone = leaf(0);
  const deep = leaf(4);
  const second = branch(PATH.charAt(3), keccak256(deep));
  const extension = encodeRlp([pathOf(PATH.slice(1, 3), false), keccak256(second)]);
  const first = branch(PATH.charAt(0), keccak256(extension));
  const path = [first, extension, second, deep];

  it('finds a value through every kind of node', () => {
    expect(provenValue(keccak256(alone), KEY, [alone])).toEqual({ value: VALUE, proof: [alone] });
    expect(provenValue(keccak256(first), KEY, path)).toEqual({ value: VALUE, proof: path });
  });

  it('proves absence: in an empty trie, and where the path ends or diverges', () => {
    const other = `${PATH.slice(0, -1)}${PATH.endsWith('0') ? '1' : '0'}`;
    const elsewhere = leaf(0, other);
    const ended = branch(PATH.startsWith('0') ? '1' : '0', keccak256(deep));
    const aside = encodeRlp([pathOf(other.slice(-2), false), keccak256(deep)]);
    expect(provenValue(EMPTY, KEY, [])).toEqual({ value: undefined, proof: [] });
    for (const node of [elsewhere, ended, aside])
      expect(provenValue(keccak256(node), KEY, [node])).toEqual({ value: undefined, proof: [node] });
  });

  it('returns only the nodes on the path, in order', () => {
    const mixed = [alone, ...path.toReversed(), '0x80'];
    expect(provenValue(keccak256(first), KEY, mixed)).toEqual({ value: VALUE, proof: path });
    expect(provenValue(EMPTY, KEY, ['0x80'])).toEqual({ value: undefined, proof: [] });
  });

  it('reads a node that is embedded in its parent', () => {
    const short = [pathOf(PATH.slice(1), true), VALUE];
    const nodes = Array.from({ length: 17 }, (_, at) =>
      at === Number.parseInt(PATH.charAt(0), 16) ? short : '0x',
    );
    const parent = encodeRlp(nodes);
    expect(provenValue(keccak256(parent), KEY, [parent])).toEqual({ value: VALUE, proof: [parent] });
  });

  it.each([0, 1, 2, 3])('refuses a path without its node %d, or with another in its place', (at) => {
    const root = keccak256(first);
    expect(() => provenValue(root, KEY, path.toSpliced(at, 1))).toThrow(BadProof);
    const changed = concat([path[at]!.slice(0, -2), '0x09']);
    expect(() => provenValue(root, KEY, path.with(at, changed))).toThrow(BadProof);
  });

  it('refuses malformed nodes', () => {
    for (const node of [
      encodeRlp('0x01'),
      encodeRlp(['0x01']),
      encodeRlp(['0x', VALUE]),
      encodeRlp([pathOf(PATH, true), '0x']),
    ])
      expect(() => provenValue(keccak256(node), KEY, [node])).toThrow(BadProof);
  });
});
