import { concat, keccak256, toBeHex, zeroPadValue } from 'ethers';

/** The key of a holder's entry in a mapping, as Solidity places it; shares no code with the code under test. */
export function slotOf(holder: string, index: number): string {
  return keccak256(concat([zeroPadValue(holder, 32), toBeHex(index, 32)]));
}
