/** The amounts that a fill has paid, where its receipt cannot be had. */
import { carriedJsonRpc } from '@hindsight/chain/test/support/carried-json-rpc.ts';
import { ask } from '@hindsight/devchain/client.ts';
import { LANDMARKS } from '@hindsight/devchain/world.ts';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { expect, it } from '@jest/globals';
import { recordOf } from '../../test/adapters/order-stores.contract.ts';
import type { FillLog } from '../domain/order-logs.ts';
import { createNodeFills } from './node-fills.ts';

const { signal } = new AbortController();
const paidOf = (url: string, transaction: string, blockHash: string) => {
  const log = { transaction, blockHash, filler: `0x${'34'.repeat(20)}` } as FillLog;
  return createNodeFills(carriedJsonRpc({ url, timeoutMs: 60_000 })).paid(recordOf(1), log, signal);
};

it('are asked for again where no node answers at the moment', async () => {
  const paid = paidOf('http://127.0.0.1:1', `0x${'1'.repeat(64)}`, `0x${'2'.repeat(64)}`);
  await expect(paid).rejects.toMatchObject({ kind: 'unreachable' });
});

it('are none where the receipt is of another block than the fill', async () => {
  const { url } = await sharedDevchain(process.env);
  const height = `0x${LANDMARKS.failedTransfer.toString(16)}`;
  const block = (await ask(url, 'eth_getBlockByNumber', height, false)) as {
    readonly parentHash: string;
    readonly transactions: readonly string[];
  };
  expect(await paidOf(url, block.transactions[0]!, block.parentHash)).toEqual({
    amounts: null,
    amountsReason: 'the receipt could not be read',
  });
});
