/** The judgement of a contract, at its block. */
import { carriedJsonRpc } from '@hindsight/chain/test/support/carried-json-rpc.ts';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import { ChainReader } from '@hindsight/chain/state/reader.ts';
import { ask } from '@hindsight/devchain/client.ts';
import { TOKENS } from '@hindsight/devchain/world.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { expect, it } from '@jest/globals';
import { createTokenJudge } from './token-judge.ts';

it('judges a contract in the very block that its first event belongs to', async () => {
  const { url } = await sharedDevchain(process.env);
  const reader = (): ChainReader => {
    const node = carriedJsonRpc({ url, timeoutMs: 60_000 });
    return new ChainReader({ node, network: ETH_MAINNET, clock: systemClock });
  };
  const logger = createLogger({ name: 'test', level: 'silent' });
  const judge = createTokenJudge({ reader: reader(), alone: reader(), network: ETH_MAINNET, logger });
  const { signal } = new AbortController();
  const { address, since: block } = TOKENS.late;
  const { hash } = (await ask(url, 'eth_getBlockByNumber', `0x${block.toString(16)}`, false)) as {
    hash: string;
  };
  const seen = { address: address.toLowerCase(), block };
  expect(await judge.judge({ ...seen, blockHash: hash }, signal)).toMatchObject({
    type: 'erc20',
    names: { symbol: 'LATE' },
  });
  const other = judge.judge({ ...seen, blockHash: `0x${'7e'.repeat(32)}` }, signal);
  await expect(other).rejects.toMatchObject({ kind: 'unknown-block' });
});
