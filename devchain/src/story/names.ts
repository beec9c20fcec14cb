/** ENS names: registered, pointed, moved. */
import { ZeroAddress, ZeroHash } from 'ethers/constants';
import { keccak256 } from 'ethers/crypto';
import { id } from 'ethers/hash';
import { concat } from 'ethers/utils';
import { CONTRACTS, HOLDERS } from '../world.ts';
import type { Script } from './script.ts';

export class Names {
  readonly #script: Script;

  constructor(script: Script) {
    this.#script = script;
  }

  register(name: string, owner: string, resolver: string): void {
    const [label = '', ...parent] = name.split('.');
    const args = [nodeOf(parent), id(label), owner, resolver, 0];
    this.#script.call(HOLDERS.oracle, CONTRACTS.ensRegistry, 'EnsRegistry', 'setSubnodeRecord', args);
  }

  /** Points a name to an address, or nowhere. */
  point(owner: string, name: string, address: string | null): void {
    const args = [nodeOf(name.split('.')), address ?? ZeroAddress];
    this.#script.call(owner, CONTRACTS.ensResolver, 'EnsResolver', 'setAddr', args);
    this.#script.ledger.record({ kind: 'name', name, block: this.#script.block, address });
  }
}

/** EIP-137, for names that are normalized: normalizing takes tables of 20 MB. */
function nodeOf(labels: readonly string[]): string {
  return labels.reduceRight((node, label) => keccak256(concat([node, id(label)])), ZeroHash);
}
