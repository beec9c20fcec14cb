/** Names that have addresses by coin type (ENSIP-9), on a dev chain that is running. */
import { Interface } from 'ethers';
import type { Registrar } from './registrar.ts';

const RESOLVER = new Interface(['function set(uint256 coinType, bytes a)']);
/** The coin type of Ethereum. */
export const ETHEREUM = 60;
/** The coin type of any EVM chain, and by a chain's id its own. */
export const ANY_CHAIN = 0x8000_0000;

/** Registers a name, or gives it other addresses: by coin type. @param extended answers for names below it, too */
export async function nameCoins(
  registrar: Registrar,
  name: string,
  coins: Readonly<Record<number, string>>,
  extended = false,
): Promise<void> {
  const resolver = await registrar.deploy('CoinResolver', [extended]);
  await registrar.register(name, resolver);
  for (const [coinType, address] of Object.entries(coins))
    await registrar.call(resolver, RESOLVER.encodeFunctionData('set', [coinType, address]));
}
