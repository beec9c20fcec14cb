/** ENS names: registered, pointed, moved. */
import { id, namehash, ZeroAddress, ZeroHash } from 'ethers';
import { CONTRACTS, HOLDERS } from '../world.ts';
import type { Script } from './script.ts';

export class Names {
  readonly #script: Script;

  constructor(script: Script) {
    this.#script = script;
  }

  /** Gives a name to `owner`, with a resolver in charge of it. */
  register(name: string, owner: string, resolver: string): void {
    const [label = '', ...parent] = name.split('.');
    // The root has no name that ethers would hash.
    const above = parent.length === 0 ? ZeroHash : namehash(parent.join('.'));
    const args = [above, id(label), owner, resolver, 0];
    this.#script.call(HOLDERS.oracle, CONTRACTS.ensRegistry, 'EnsRegistry', 'setSubnodeRecord', args);
  }

  /** Points a name to an address, or nowhere. */
  point(owner: string, name: string, address: string | null): void {
    const args = [namehash(name), address ?? ZeroAddress];
    this.#script.call(owner, CONTRACTS.ensResolver, 'EnsResolver', 'setAddr', args);
    this.#script.ledger.record({ kind: 'name', name, block: this.#script.block, address });
  }
}
