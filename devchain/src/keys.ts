/** The private keys of the holders: public knowledge, so never send anything of worth to their addresses. */
import { id } from 'ethers/hash';
import type { HolderName } from './world.ts';

/** A holder's private key is the Keccak-256 of a sentence with its name. */
export function keyOf(holder: HolderName): string {
  return id(`hindsight dev chain: ${holder}`);
}
