/** Amounts that fills have paid, of orders that the protocol's own reactors fill: their code is that of the SDK's package. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { toChecksum } from '@hindsight/chain/address.ts';
import type { EthereumNode } from '@hindsight/chain/rpc/node.ts';
import { carriedJsonRpc } from '@hindsight/chain/test/support/carried-json-rpc.ts';
import { PERMIT2 } from '@hindsight/chain/tokens/permit2.ts';
import { TOPICS } from '@hindsight/chain/tokens/token-events.ts';
import { ask } from '@hindsight/devchain/client.ts';
import { sendAndMine } from '@hindsight/devchain/control.ts';
import { startDevchain, type Devchain } from '@hindsight/devchain/devchain.ts';
import { HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { describeOnInstalled } from '@hindsight/tools/servers/suite.ts';
import { Interface, MaxUint256 } from 'ethers';
import { createNodeFills } from '../src/adapters/node-fills.ts';
import type { FillLog } from '../src/domain/order-logs.ts';
import { ORDER_TOPICS } from '../src/domain/order-logs.ts';
import type { OrderRecord } from '../src/domain/order-event.ts';
import { REACTORS } from '../src/domain/reactors.ts';
import { deployPermit2 } from './support/fills.ts';
import { placeContract } from './support/protocol-contracts.ts';
import { build, casesOf, cosigner, loadSdk, NOW, swapper, type Case } from './support/sdk-orders.ts';

const FILLER = toChecksum(HOLDERS.market);
const OTHER = toChecksum(HOLDERS.relay);
const FEES = toChecksum(`0x${'fe'.repeat(20)}`);
const SOLD = TOKENS.uni.address;
const BOUGHT = TOKENS.weth.address;
const NO_ONE = `0x${'0'.repeat(40)}`;
const ERC20 = new Interface([
  'function approve(address, uint256)',
  'function transfer(address, uint256)',
  'function deposit() payable',
]);
const REACTOR = new Interface([
  'function execute((bytes order, bytes sig) order)',
  'function executeBatch((bytes order, bytes sig)[] orders)',
]);
const CONTRACTS: Readonly<Record<string, readonly [contract: string, address: string]>> = {
  Dutch: ['ExclusiveDutchOrderReactor', REACTORS[1]!.Dutch![0]!],
  Dutch_V2: ['V2DutchOrderReactor', REACTORS[1]!.Dutch_V2![0]!],
  Dutch_V3: ['V3DutchOrderReactor', REACTORS[1]!.Dutch_V3![0]!],
};

interface Receipt {
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly transactionHash: string;
  readonly status: string;
  readonly logs: readonly {
    readonly address: string;
    readonly topics: readonly string[];
    readonly data: string;
  }[];
}

await describeOnInstalled('amounts paid', { name: 'uniswapx-sdk', env: process.env }, (sdkFolder) => {
  const { sdk } = loadSdk(sdkFolder);
  const cases = new Map(casesOf(sdk).map((one) => [one.type, one]));
  let chain: Devchain;
  let node: EthereumNode;
  let nonce = 0;

  beforeAll(async () => {
    chain = await startDevchain();
    node = carriedJsonRpc({ url: chain.url, timeoutMs: 60_000 });
    await deployPermit2(chain.url, sdkFolder, FILLER);
    for (const [contract, address] of Object.values(CONTRACTS))
      await placeContract(chain.url, { sdkFolder, contract, address, from: FILLER });
    const send = (from: string, to: string, method: string, ...args: unknown[]): Promise<unknown> =>
      sendAndMine(chain.url, { from, to, data: ERC20.encodeFunctionData(method, args) });
    await send(HOLDERS.vault, SOLD, 'transfer', swapper, 10n ** 18n);
    await send(swapper, SOLD, 'approve', PERMIT2, MaxUint256);
    for (const filler of [FILLER, OTHER]) {
      await ask(chain.url, 'anvil_setBalance', filler, `0x${(10n ** 20n).toString(16)}`);
      const data = ERC20.encodeFunctionData('deposit', []);
      const deposit = { from: filler, to: BOUGHT, data, value: '0xde0b6b3a7640000', gasPrice: '0x0' };
      await ask(chain.url, 'eth_sendTransaction', deposit);
      for (const [, address] of Object.values(CONTRACTS))
        await send(filler, BOUGHT, 'approve', address, MaxUint256);
    }
  }, 240_000);
  afterAll(async () => {
    await node.close();
    await chain.stop();
  });

  async function latest(): Promise<{ number: number; timestamp: number }> {
    const block = (await ask(chain.url, 'eth_getBlockByNumber', 'latest', false)) as Record<string, string>;
    return { number: Number(block.number), timestamp: Number(block.timestamp) };
  }

  /** The terms of an order of a type that decays over some 40 blocks from now on. */
  async function termsOf(type: string, exclusiveFiller: string): Promise<Record<string, unknown>> {
    const { number, timestamp } = await latest();
    const info = {
      nonce: String(++nonce),
      deadline: NOW / 1_000 + 86_400,
      additionalValidationContract: NO_ONE,
      additionalValidationData: '0x',
    };
    const exclusive = { exclusiveFiller, exclusivityOverrideBps: type === 'Dutch' ? '7' : 7 };
    const begins = exclusiveFiller === NO_ONE ? -100 : 100;
    const times = { decayStartTime: timestamp + begins, decayEndTime: timestamp + 577 };
    const overrides = { inputOverride: '0', outputOverrides: ['0', '1000007'] };
    if (type === 'Dutch_V3') {
      const curve = { relativeBlocks: [7, 41], relativeAmounts: ['333', '77777'] };
      const flat = { relativeBlocks: [], relativeAmounts: [] };
      const of = { adjustmentPerGweiBaseFee: '0' };
      return {
        ...info,
        cosigner,
        startingBaseFee: '0',
        input: { ...of, token: SOLD, startAmount: '500001', curve: flat, maxAmount: '600000' },
        outputs: [swapper, FEES].map((recipient) => ({
          ...{ ...of, token: BOUGHT, startAmount: '1000003', curve, recipient, minAmount: '900000' },
        })),
        cosignerData: { decayStartBlock: number + begins / 10, ...exclusive, ...overrides },
      };
    }
    const terms = {
      ...info,
      input: { token: SOLD, startAmount: '500001', endAmount: '500001' },
      outputs: [swapper, FEES].map((recipient) => ({
        ...{ token: BOUGHT, startAmount: '1000003', endAmount: '900001', recipient },
      })),
    };
    if (type === 'Dutch') return { ...terms, ...times, ...exclusive };
    return { ...terms, cosigner, cosignerData: { ...times, ...exclusive, ...overrides } };
  }

  async function orderOf(type: string, exclusiveFiller = NO_ONE): Promise<OrderRecord> {
    const of: Case = { ...cases.get(type)!, chainId: 1, reactor: CONTRACTS[type]![1] };
    const { payload, validated } = build(of, await termsOf(type, exclusiveFiller));
    const about = { network: 'eth-mainnet', projectId: 'p', receivedAt: NOW };
    return { id: validated.id, ...about, payload, order: validated.order };
  }

  async function fill(orders: readonly OrderRecord[], from = FILLER): Promise<Receipt> {
    const signed = orders.map(({ payload }) => ({ order: payload.encodedOrder, sig: payload.signature }));
    const [method, args] = signed.length === 1 ? ['execute', [signed[0]]] : ['executeBatch', [signed]];
    const data = REACTOR.encodeFunctionData(method, args);
    const { blockNumber } = await sendAndMine(chain.url, { from, to: orders[0]!.order.reactor, data });
    const block = (await ask(chain.url, 'eth_getBlockByNumber', `0x${blockNumber.toString(16)}`, false)) as {
      transactions: string[];
    };
    return (await ask(chain.url, 'eth_getTransactionReceipt', block.transactions[0])) as Receipt;
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

  /** The tokens' own events of each order of a transaction: inputs first, two outputs before each fill. */
  function moved(receipt: Receipt) {
    const transfers = receipt.logs.filter(({ topics }) => topics[0] === TOPICS.transfer);
    const ofToken = (token: string) => transfers.filter(({ address }) => toChecksum(address) === token);
    const outputs = ofToken(BOUGHT).map(({ topics, data }) => ({
      token: BOUGHT,
      recipient: toChecksum(`0x${topics[2]!.slice(26)}`),
      amount: String(BigInt(data)),
    }));
    return ofToken(SOLD).map(({ data }, i) => ({
      amounts: {
        input: { token: SOLD, amount: String(BigInt(data)) },
        outputs: outputs.slice(2 * i, 2 * i + 2),
      },
    }));
  }

  it.each(Object.keys(CONTRACTS))('of a %s order are those that its reactor moves', async (type) => {
    const order = await orderOf(type);
    const receipt = await fill([order]);
    const [expected] = moved(receipt);
    expect(expected?.amounts.outputs).toHaveLength(2);
    expect(await paidOf(order, receipt, FILLER)).toEqual(expected);
    expect(receipt.logs.filter(({ topics }) => topics[0] === ORDER_TOPICS.fill)).toHaveLength(1);
  });

  it.each(Object.keys(CONTRACTS))('of a %s order that is exclusive to another filler', async (type) => {
    const order = await orderOf(type, OTHER);
    const receipt = await fill([order]);
    expect(await paidOf(order, receipt, FILLER)).toEqual(moved(receipt)[0]);
    const own = await orderOf(type, OTHER);
    const byOther = await fill([own], OTHER);
    expect(await paidOf(own, byOther, OTHER)).toEqual(moved(byOther)[0]);
  });

  it.each(Object.keys(CONTRACTS))('of each %s order of a batch', async (type) => {
    const [one, two] = [await orderOf(type), await orderOf(type)];
    const receipt = await fill([one, two]);
    const [first, second] = moved(receipt);
    expect(await paidOf(one, receipt, FILLER)).toEqual(first);
    expect(await paidOf(two, receipt, FILLER)).toEqual(second);
  });
});
