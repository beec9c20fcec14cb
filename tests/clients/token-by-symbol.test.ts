/** A symbol as the command line takes it, against lists longer than it reads. */
import { describe, expect, it } from '@jest/globals';
import type { Client } from '@hindsight/client';
import { resolveToken } from '../../clients/cli/src/token.ts';

const { signal } = new AbortController();

/** A client whose list has `before` other tokens, and then those of the symbol. */
function clientOf(before: number, addresses: readonly string[], of = 'USDC'): Client {
  const entry = (symbol: string, token_address: string): object => ({
    ...{ symbol, token_address },
    ...{ name: '', block_height: 1 },
  });
  return {
    nativeCoin: async () => ({ symbol: 'ETH', decimals: 18 }),
    async *tokens() {
      for (let i = 0; i < before; i++) yield entry(`USDC${i}`, `0x${i}`);
      for (const address of addresses) yield entry(of, address);
    },
  } as unknown as Client;
}

describe('A symbol', () => {
  it('is the one token that has it, whatever else matches', async () => {
    expect(await resolveToken(clientOf(900, ['0xA']), 'usdc', signal)).toBe('0xA');
  });

  it('is the same with either small sigma', async () => {
    for (const symbol of ['ΟΔΟΣ', 'οδος', 'οδοσ'])
      expect(await resolveToken(clientOf(0, ['0xA'], 'ΟΔΟΣ'), symbol, signal)).toBe('0xA');
  });

  it('of several is refused', async () => {
    await expect(resolveToken(clientOf(0, ['0xA', '0xB']), 'USDC', signal)).rejects.toThrow(
      '2 tokens have the symbol USDC',
    );
  });

  it.each([
    ['none', clientOf(1_000, ['0xA'])],
    ['one', clientOf(999, ['0xA', '0xB'])],
  ])('is refused where a list that was not read to its end has %s of it', async (_found, client) => {
    await expect(resolveToken(client, 'USDC', signal)).rejects.toThrow(
      'more than 1000 tokens match USDC, too many to tell which one you mean; give its address',
    );
  });

  it('that no token has is refused, with the way to look for it', async () => {
    await expect(resolveToken(clientOf(1, []), 'USDC', signal)).rejects.toThrow(
      "no token in the server's list has the symbol USDC; give its address, which hindsight token USDC may find",
    );
  });
});
