/** Orders that the protocol's own reactors fill on a dev chain: their code is that of the SDK's package. */
import { toChecksum } from '@hindsight/chain/address.ts';
import { PERMIT2 } from '@hindsight/chain/tokens/permit2.ts';
import { TOPICS } from '@hindsight/chain/tokens/token-events.ts';
import { ask } from '@hindsight/devchain/client.ts';
import { sendAndMine } from '@hindsight/devchain/control.ts';
import { HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { Interface, MaxUint256 } from 'ethers';
import type { OrderRecord } from '../../src/domain/order-event.ts';
import { REACTORS } from '../../src/domain/reactors.ts';
import { deployPermit2, type Call } from './fills.ts';
import { placeContract } from './protocol-contracts.ts';
import { cosigner, NOW, swapper } from './sdk-orders.ts';

/** Fills most orders. */
export const FILLER = toChecksum(HOLDERS.market);
/** Fills some orders. */
export const OTHER = toChecksum(HOLDERS.relay);
const FEES = toChecksum(`0x${'fe'.repeat(20)}`);
const SOLD = TOKENS.uni.address;
const BOUGHT = TOKENS.weth.address;
/** The exclusive filler of an order that anyone may fill. */
export const NO_ONE = `0x${'0'.repeat(40)}`;
const ERC20 = new Interface([
  'function approve(address, uint256)',
  'function transfer(address, uint256)',
  'function deposit() payable',
]);
/** Functions that fillers call. */
const REACTOR = new Interface([
  'function execute((bytes order, bytes sig) order)',
  'function executeBatch((bytes order, bytes sig)[] orders)',
]);
/** The reactors by the chains that they are on, and the types of their orders. */
export const CONTRACTS: Readonly<
  Record<number, Readonly<Record<string, readonly [contract: string, address: string]>>>
> = {
  1: {
    Dutch: ['ExclusiveDutchOrderReactor', REACTORS[1]!.Dutch![0]!],
    Dutch_V2: ['V2DutchOrderReactor', REACTORS[1]!.Dutch_V2![0]!],
    Dutch_V3: ['V3DutchOrderReactor', REACTORS[1]!.Dutch_V3![0]!],
  },
  8453: {
    Dutch_V3: ['V3DutchOrderReactor', REACTORS[8453]!.Dutch_V3![0]!],
    Priority: ['PriorityOrderReactor', REACTORS[8453]!.Priority![0]!],
  },
};

/** The reactor of version 1.0.0, with the code of the later one, whose orders and events are the same. */
export const OLD_REACTOR = REACTORS[1]!.Dutch![1]!;

/** A receipt as the node sends it. */
export interface Receipt {
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

/** Gives a dev chain the id, Permit2 and reactors of another chain, and the tokens to those who trade. */
export async function prepareReactors(url: string, sdkFolder: string, chainId = 1): Promise<void> {
  await ask(url, 'anvil_setChainId', chainId);
  const all = Object.values(CONTRACTS[chainId]!);
  if (chainId === 1) all.push(['ExclusiveDutchOrderReactor', OLD_REACTOR]);
  await deployPermit2(url, sdkFolder, FILLER);
  for (const [contract, address] of all)
    await placeContract(url, { sdkFolder, contract, address, from: FILLER });
  const send = (from: string, to: string, method: string, ...args: unknown[]): Promise<unknown> =>
    sendAndMine(url, { from, to, data: ERC20.encodeFunctionData(method, args) });
  await send(HOLDERS.vault, SOLD, 'transfer', swapper, 10n ** 18n);
  await send(swapper, SOLD, 'approve', PERMIT2, MaxUint256);
  for (const filler of [FILLER, OTHER]) {
    await ask(url, 'anvil_setBalance', filler, `0x${(10n ** 20n).toString(16)}`);
    const data = ERC20.encodeFunctionData('deposit', []);
    const deposit = { from: filler, to: BOUGHT, data, value: '0xde0b6b3a7640000', gasPrice: '0x0' };
    await ask(url, 'eth_sendTransaction', deposit);
    for (const [, address] of all) await send(filler, BOUGHT, 'approve', address, MaxUint256);
  }
}

/** The call that fills orders of one reactor, in one transaction. */
export function fillOf(records: readonly OrderRecord[]): Call {
  const signed = records.map(({ payload }) => ({ order: payload.encodedOrder, sig: payload.signature }));
  const [method, args] = signed.length === 1 ? ['execute', [signed[0]]] : ['executeBatch', [signed]];
  return { to: records[0]!.order.reactor, data: REACTOR.encodeFunctionData(method, args) };
}

/** Terms that orders differ in. */
interface Wanted {
  readonly nonce: bigint | number;
  readonly exclusiveFiller?: string;
  /** Unix seconds. */
  readonly deadline?: number;
}

/** The terms of an order of a type that decays over some 40 blocks from a block on, or pays by the fill's priority fee. */
export function termsAt(
  { number, timestamp }: { readonly number: number; readonly timestamp: number },
  type: string,
  { nonce, exclusiveFiller = NO_ONE, deadline = NOW / 1_000 + 86_400 }: Wanted,
): Record<string, unknown> {
  const info = {
    nonce: String(nonce),
    deadline,
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
    const of = { adjustmentPerGweiBaseFee: '1009' };
    return {
      ...info,
      cosigner,
      startingBaseFee: '2000000000',
      input: { ...of, token: SOLD, startAmount: '500001', curve: flat, maxAmount: '600000' },
      outputs: [swapper, FEES].map((recipient) => ({
        ...{ ...of, token: BOUGHT, startAmount: '1000003', curve, recipient, minAmount: '900000' },
      })),
      cosignerData: { decayStartBlock: number + begins / 10, ...exclusive, ...overrides },
    };
  }
  if (type === 'Priority')
    return {
      ...info,
      cosigner,
      auctionStartBlock: String(number),
      baselinePriorityFeeWei: '11',
      input: { token: SOLD, amount: '500001', mpsPerPriorityFeeWei: '0' },
      outputs: [swapper, FEES].map((recipient) => ({
        ...{ token: BOUGHT, amount: '1000003', mpsPerPriorityFeeWei: '1237', recipient },
      })),
      cosignerData: { auctionTargetBlock: String(number) },
    };
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

/** The tokens' own events of each order of a transaction: inputs first, two outputs before each fill. */
export function moved(receipt: Receipt) {
  // Copied: an array that `fetch` has parsed is of another realm than the test's, and a strict comparison notices.
  const transfers = [...receipt.logs].filter(({ topics }) => topics[0] === TOPICS.transfer);
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
