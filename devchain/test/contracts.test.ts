import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeBytes32String, Interface } from 'ethers';
import { ask, blockTag, callAt } from '../src/client.ts';
import { startDevchain, type Devchain } from '../src/devchain.ts';
import { CHAIN, CONTRACTS, HOLDERS, LANDMARKS, TOKENS, UNUSED_ADDRESS } from '../src/world.ts';

const abi = new Interface([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function balanceOf(address) view returns (uint256)',
  'function supportsInterface(bytes4) view returns (bool)',
  'function transfer(address, uint256)',
]);

let chain: Devchain;
beforeAll(async () => {
  chain = await startDevchain();
});
afterAll(() => chain.stop());

const read = (address: string, method: string, args: unknown[] = [], block: number = CHAIN.head) =>
  callAt(chain.url, address, abi.encodeFunctionData(method, args), block);

async function text(address: string, method: 'name' | 'symbol', block?: number): Promise<string> {
  return abi.decodeFunctionResult(method, await read(address, method, [], block))[0] as string;
}

describe('the tokens', () => {
  it('exist from the block in world.ts on, and not before', async () => {
    const codeAt = (address: string, block: number) =>
      ask(chain.url, 'eth_getCode', address, blockTag(block));
    for (const { address, since } of Object.values(TOKENS)) {
      expect(await codeAt(address, since)).toMatch(/^0x[0-9a-f]{100,}$/);
      // USDC's proxy stood a while without an implementation.
      if (since === CHAIN.genesis || address === TOKENS.usdc.address) continue;
      expect([address, await codeAt(address, since - 1)]).toEqual([address, '0x']);
    }
    await expect(read(TOKENS.usdc.address, 'name', [], TOKENS.usdc.since - 1)).rejects.toThrow('revert');
    expect(await text(TOKENS.usdc.address, 'symbol', TOKENS.usdc.since)).toBe('USDC');
  });

  it('have the names, symbols and decimals of world.ts at the head', async () => {
    const { mkr, nameless, ...plain } = TOKENS;
    for (const { address, name, symbol, decimals } of Object.values(plain)) {
      expect([await text(address, 'name'), await text(address, 'symbol')]).toEqual([name, symbol]);
      if (decimals !== null) expect(Number(await read(address, 'decimals'))).toBe(decimals);
    }
    expect(decodeBytes32String(await read(mkr.address, 'name'))).toBe(mkr.name);
    expect(decodeBytes32String(await read(mkr.address, 'symbol'))).toBe(mkr.symbol);
    await expect(read(nameless.address, 'name')).rejects.toThrow('no name');
    expect(await text(nameless.address, 'symbol')).toBe(nameless.symbol);
  });

  it('have a USDC that changes its name with its implementation', async () => {
    const { usdc } = TOKENS;
    expect(await text(usdc.address, 'name', LANDMARKS.usdcUpgrade - 1)).toBe('Centre USD Coin');
    expect(await text(usdc.address, 'name', LANDMARKS.usdcUpgrade)).toBe('USD Coin');
  });

  it('have a USDT whose transfer returns nothing', async () => {
    const data = abi.encodeFunctionData('transfer', [UNUSED_ADDRESS, 1n]);
    const transaction = { from: HOLDERS.vault, to: TOKENS.usdt.address, data };
    expect(await ask(chain.url, 'eth_call', transaction, blockTag(CHAIN.head))).toBe('0x');
  });

  it('identify themselves by ERC-165, except the kitties, which do not support it', async () => {
    const { bayc, items, kitties } = TOKENS;
    expect(Number(await read(bayc.address, 'supportsInterface', ['0x80ac58cd']))).toBe(1);
    expect(Number(await read(items.address, 'supportsInterface', ['0xd9b67a26']))).toBe(1);
    await expect(read(kitties.address, 'supportsInterface', ['0x80ac58cd'])).rejects.toThrow('revert');
  });
});

describe('the contracts that are not tokens', () => {
  const balance = (address: string) => read(address, 'balanceOf', [HOLDERS.alice]);

  it('answer balanceOf with a mebibyte', async () => {
    expect(await balance(CONTRACTS.huge)).toHaveLength(2 + 2 * 1_048_576);
  });

  it('answer balanceOf with four bytes', async () => {
    expect(await balance(CONTRACTS.short)).toBe('0xdeadbeef');
  });

  it('burn all gas', async () => {
    await expect(balance(CONTRACTS.gasBurner)).rejects.toThrow(/out ?of ?gas/i);
  });

  it('do not know balanceOf, but count', async () => {
    await expect(balance(CONTRACTS.counter)).rejects.toThrow('revert');
    const countAt = (block: number) => callAt(chain.url, CONTRACTS.counter, '0x06661abd', block);
    expect(BigInt(await countAt(CHAIN.head))).toBeGreaterThan(BigInt(await countAt(LANDMARKS.traffic - 1)));
  });
});
