/** Amounts that fills have paid, of orders that the protocol's own reactors fill: their code is that of the SDK's package. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EthereumNode } from '@hindsight/chain/rpc/node.ts';
import { carriedJsonRpc } from '@hindsight/chain/test/support/carried-json-rpc.ts';
import { ask } from '@hindsight/devchain/client.ts';
import { mine } from '@hindsight/devchain/control.ts';
import { startDevchain, type Devchain } from '@hindsight/devchain/devchain.ts';
import { describeOnInstalled } from '@hindsight/tools/servers/suite.ts';
import { toBeHex } from 'ethers';
import { createNodeFills } from '../src/adapters/node-fills.ts';
import type { FillLog } from '../src/domain/order-logs.ts';
import { ORDER_TOPICS } from '../src/domain/order-logs.ts';
import type { OrderRecord } from '../src/domain/order-event.ts';
import {
  CONTRACTS,
  FILLER,
  fillOf,
  moved,
  NO_ONE,
  OTHER,
  prepareReactors,
  termsAt,
  type Receipt,
} from './support/reactor-orders.ts';
import { build, casesOf, loadSdk, NOW, swapper, type Case } from './support/sdk-orders.ts';

/** The base fee of a fill's block, and the fill's tip: wei for a unit of gas. */
const BASE_FEE = 5_000_000_000n;
const TIP = 4_321n;
const suite = { name: 'uniswapx-sdk', env: process.env } as const;

await describeOnInstalled('amounts paid', suite, (sdkFolder) => {
  describe.each(Object.keys(CONTRACTS).map(Number))('on chain %i', (chainId) => pay(sdkFolder, chainId));
});

function pay(sdkFolder: string, chainId: number): void {
  const types = Object.keys(CONTRACTS[chainId]!);
  const { sdk } = loadSdk(sdkFolder);
  const cases = new Map(casesOf(sdk).map((one) => [one.type, one]));
  let chain: Devchain;
  let node: EthereumNode;
  let nonce = 0;

  beforeAll(async () => {
    chain = await startDevchain();
    node = carriedJsonRpc({ url: chain.url, timeoutMs: 60_000 });
    await prepareReactors(chain.url, sdkFolder, chainId);
  });
  afterAll(async () => {
    await node.close();
    await chain.stop();
  });

  async function latest(): Promise<{ number: number; timestamp: number }> {
    const block = (await ask(chain.url, 'eth_getBlockByNumber', 'latest', false)) as Record<string, string>;
    return { number: Number(block.number), timestamp: Number(block.timestamp) };
  }

  async function orderOf(type: string, exclusiveFiller = NO_ONE): Promise<OrderRecord> {
    const of: Case = { ...cases.get(type)!, chainId, reactor: CONTRACTS[chainId]![type]![1] };
    const { payload, validated } = build(
      of,
      termsAt(await latest(), type, { nonce: ++nonce, exclusiveFiller }),
    );
    const about = { network: 'eth-mainnet', projectId: 'p', receivedAt: NOW };
    return { id: validated.id, ...about, payload, order: validated.order };
  }

  async function fill(orders: readonly OrderRecord[], from = FILLER): Promise<Receipt> {
    await ask(chain.url, 'anvil_setNextBlockBaseFeePerGas', toBeHex(BASE_FEE));
    const gas = { gas: '0xe4e1c0', gasPrice: toBeHex(BASE_FEE + TIP) };
    const hash = await ask(chain.url, 'eth_sendTransaction', { from, ...fillOf(orders), ...gas });
    await mine(chain.url);
    await ask(chain.url, 'anvil_setNextBlockBaseFeePerGas', '0x0');
    const receipt = (await ask(chain.url, 'eth_getTransactionReceipt', hash)) as Receipt;
    expect(receipt.status).toBe('0x1');
    return receipt;
  }

  function paidOf(record: OrderRecord, receipt: Receipt, filler: string) {
    const log: FillLog = {
      kind: 'fill',
      address: record.order.reactor.toLowerCase(),
      block: Number(receipt.blockNumber),
      blockHash: receipt.blockHash,
      transaction: receipt.transactionHash,
      orderHash: record.payload.orderHash,
      filler,
      swapper: swapper.toLowerCase(),
      nonce: BigInt(record.order.nonce),
    };
    return createNodeFills(node).paid(record, log, new AbortController().signal);
  }

  it.each(types)('of a %s order are those that its reactor moves', async (type) => {
    const order = await orderOf(type);
    const receipt = await fill([order]);
    const [expected] = moved(receipt);
    expect(expected?.amounts.outputs).toHaveLength(2);
    expect(await paidOf(order, receipt, FILLER)).toEqual(expected);
    expect(receipt.logs.filter(({ topics }) => topics[0] === ORDER_TOPICS.fill)).toHaveLength(1);
  });

  it.each(types.filter((type) => type !== 'Priority'))(
    'of a %s order that is exclusive to another filler',
    async (type) => {
      const order = await orderOf(type, OTHER);
      const receipt = await fill([order]);
      expect(await paidOf(order, receipt, FILLER)).toEqual(moved(receipt)[0]);
      const own = await orderOf(type, OTHER);
      const byOther = await fill([own], OTHER);
      expect(await paidOf(own, byOther, OTHER)).toEqual(moved(byOther)[0]);
    },
  );

  it.each(types)('of each %s order of a batch', async (type) => {
    const [one, two] = [await orderOf(type), await orderOf(type)];
    const receipt = await fill([one, two]);
    const [first, second] = moved(receipt);
    expect(await paidOf(one, receipt, FILLER)).toEqual(first);
    expect(await paidOf(two, receipt, FILLER)).toEqual(second);
  });
}
