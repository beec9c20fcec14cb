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
