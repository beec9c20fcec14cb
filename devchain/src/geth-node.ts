/**
 * geth's development mode as a DevNode. It impersonates no account: holders sign for themselves and pay for
 * gas from a reserve, and contracts of the real deployers exist from the first block.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { getCreateAddress } from 'ethers/address';
import { toQuantity } from 'ethers/utils';
import { Wallet } from 'ethers/wallet';
import { loadArtifact } from './artifacts.ts';
import { keyOf } from './keys.ts';
import type { Genesis, PlannedTransaction } from './plan-format.ts';
import type { OrderedRpc } from './rpc.ts';
import { type DevNode, readHead } from './seed.ts';
import { CHAIN, CONTRACTS, HOLDERS, TOKENS, type HolderName } from './world.ts';

/** An account of the first block, in hex. */
interface FirstAccount {
  balance: string;
  code?: string;
}

/** A node on which the plan is played at other heights and with fees. */
export interface GethNode extends DevNode {
  /** The height at which the chain's state is that after a block of the plan. */
  heightOf: (block: number) => number;
  /** An account's wei in addition to the ledger's after a block of the plan: its reserve minus its fees. */
  extraWei: (address: string, block: number) => bigint;
}

/** Contracts of the plan's keyless deployers: their code needs nothing from a constructor. */
const PLACED: ReadonlyMap<string, string> = new Map([
  [TOKENS.uni.address, 'UniToken'],
  [TOKENS.usdt.address, 'TetherToken'],
  [TOKENS.usdc.address, 'Proxy'],
  [TOKENS.weth.address, 'WrappedEther'],
  [TOKENS.bayc.address, 'ApeToken'],
  [TOKENS.kitties.address, 'KittyToken'],
  [CONTRACTS.ensRegistry, 'EnsRegistry'],
]);
/** For everyone's gas. */
const RESERVE = 10n ** 18n;
/** Above the development chain's first base fee, which only falls. */
const MAX_FEE = 2n * 10n ** 9n;
/**
 * A slot that is written first costs 64 * 1,530 gas from Amsterdam on (EIP-8037), four times what the plan allows for;
 * a transaction pays for what it uses alone.
 */
const GAS_FACTOR = 6;
const MINED_WITHIN_MS = 600_000;
const LOOK_EVERY_MS = 3;

const WALLETS: ReadonlyMap<string, Wallet> = new Map(
  (Object.entries(HOLDERS) as [HolderName, string][]).map(([name, address]) => [
    address,
    new Wallet(keyOf(name)),
  ]),
);

/** The accounts that a genesis file must have for the plan to be played on geth. */
export function gethAlloc({ balances, code }: Genesis): Record<string, FirstAccount> {
  const placed = [...PLACED].map(([address, contract]) => [address, loadArtifact(contract).runtime] as const);
  return Object.fromEntries([
    ...[...code, ...placed].map(([address, bytes]) => [address, { balance: '0x0', code: bytes }]),
    ...[...WALLETS.keys()].map((address) => [
      address,
      { balance: toQuantity((balances.get(address) ?? 0n) + RESERVE) },
    ]),
  ]) as Record<string, FirstAccount>;
}

/**
 * `rpc` must lead to a geth in development mode, with `gethAlloc` in its first block, that mines each
 * transaction.
 */
export function gethNode(rpc: OrderedRpc): GethNode {
  const heights = new Map<number, number>();
  const fees: { from: string; block: number; wei: bigint }[] = [];
  let height = 0;
  return {
    begin: ({ number, balances }) => {
      heights.set(number, 0);
      return expectFunds(rpc, balances);
    },
    async make(blocks) {
      for (const block of blocks) {
        const sent: Sent[] = [];
        for (const transaction of block.transactions.filter(isToBeSent)) {
          sent.push({ transaction, hash: await send(rpc, transaction) });
        }
        for (const receipt of await receiptsOf(rpc, sent)) {
          height = Math.max(height, receipt.height);
          fees.push({ from: receipt.from, block: block.number, wei: receipt.fee });
        }
        heights.set(block.number, height);
      }
    },
    head: () => readHead(rpc),
    heightOf(block) {
      const found = heights.get(block);
      if (found === undefined) throw new RangeError(`block ${block} of the plan was not played`);
      return found;
    },
    extraWei(address, block) {
      if (!WALLETS.has(address)) return 0n;
      const paid = fees.filter((fee) => fee.from === address && fee.block <= block);
      return paid.reduce((left, { wei }) => left - wei, RESERVE);
    },
  };
}

async function expectFunds(rpc: OrderedRpc, balances: Genesis['balances']): Promise<void> {
  for (const [address, wei] of balances) {
    const found = BigInt((await rpc.call('eth_getBalance', address, '0x0')) as string);
    if (found !== wei + RESERVE) throw new Error(`${address} has ${found} wei in the first block`);
  }
}

function isToBeSent({ from, nonce, to }: PlannedTransaction): boolean {
  if (WALLETS.has(from)) return true;
  const isPlaced = to === null && PLACED.has(getCreateAddress({ from, nonce }));
  if (!isPlaced) throw new Error(`no key signs transaction ${nonce} of ${from}`);
  return false;
}

interface Sent {
  readonly transaction: PlannedTransaction;
  readonly hash: string;
}

async function send(
  rpc: OrderedRpc,
  { from, nonce, to, data, value, gas }: PlannedTransaction,
): Promise<string> {
  const wallet = WALLETS.get(from);
  if (wallet === undefined) throw new Error(`${from} has no key`);
  const signed = await wallet.signTransaction({
    type: 2,
    chainId: CHAIN.id,
    nonce,
    to,
    data,
    value,
    gasLimit: gas * GAS_FACTOR,
    maxFeePerGas: MAX_FEE,
    maxPriorityFeePerGas: 1n,
  });
  return (await rpc.call('eth_sendRawTransaction', signed)) as string;
}

interface Receipt {
  readonly from: string;
  readonly height: number;
  /** Wei. */
  readonly fee: bigint;
}

/** Waits until all are in blocks, with the intended results. */
async function receiptsOf(rpc: OrderedRpc, sent: readonly Sent[]): Promise<Receipt[]> {
  const deadline = Date.now() + MINED_WITHIN_MS;
  const receipts: Receipt[] = [];
  for (const { transaction, hash } of sent) {
    let found = await findReceipt(rpc, hash);
    while (found === null) {
      if (Date.now() > deadline) throw new Error(`${hash} is in no block after ${MINED_WITHIN_MS} ms`);
      await sleep(LOOK_EVERY_MS);
      found = await findReceipt(rpc, hash);
    }
    if ((found.status === '0x0') !== transaction.fails) throw new Error(`${hash} ended with ${found.status}`);
    const fee = BigInt(found.gasUsed) * BigInt(found.effectiveGasPrice);
    receipts.push({ from: transaction.from, height: Number(found.blockNumber), fee });
  }
  return receipts;
}

type RawReceipt = Record<'status' | 'blockNumber' | 'gasUsed' | 'effectiveGasPrice', string>;

async function findReceipt(rpc: OrderedRpc, hash: string): Promise<RawReceipt | null> {
  try {
    return (await rpc.call('eth_getTransactionReceipt', hash)) as RawReceipt | null;
  } catch (error) {
    // A young node may not have looked through its blocks yet.
    if (error instanceof Error && error.message.includes('indexing is in progress')) return null;
    throw error;
  }
}
