/** Actions of a test on a seeded dev chain. */
import { ask } from './client.ts';

const SLOT_SECONDS = 12;

/**
 * Mines one block of the pending transactions; without a timestamp (Unix seconds) it comes one slot after the
 * latest.
 */
export async function mine(url: string, options: { timestamp?: number } = {}): Promise<void> {
  const latest = (await ask(url, 'eth_getBlockByNumber', 'latest', false)) as { timestamp: string };
  // By default anvil would repeat the latest block's time.
  const timestamp = options.timestamp ?? Number(latest.timestamp) + SLOT_SECONDS;
  await ask(url, 'evm_mine', { timestamp });
}

/** A transaction of any account; without a receiver it makes a contract. */
interface Transaction {
  readonly from: string;
  readonly to?: string | undefined;
  readonly data: string;
}

interface Receipt {
  readonly blockNumber: number;
  readonly contractAddress: string;
}

/** Sends a transaction without a fee, and mines it. Throws where it fails. */
export async function sendAndMine(url: string, transaction: Transaction): Promise<Receipt> {
  const hash = await ask(url, 'eth_sendTransaction', { ...transaction, gas: '0xe4e1c0', gasPrice: '0x0' });
  await mine(url);
  const receipt = await ask(url, 'eth_getTransactionReceipt', hash);
  const { status, blockNumber, contractAddress } = receipt as Record<keyof Receipt | 'status', string>;
  if (status !== '0x1') throw new Error(`the transaction ${String(hash)} failed`);
  return { blockNumber: Number(blockNumber), contractAddress };
}
