/** The service on the run's dev chain, as in `const balance = forAllTests(runOnDevchain, 'stop');`. */
import type { EthereumNode } from '@hindsight/chain/rpc/node.ts';
import { startAlteredNode, type AlteredNode } from '@hindsight/chain/test/support/altered-node.ts';
import { carriedJsonRpc } from '@hindsight/chain/test/support/carried-json-rpc.ts';
import { startNodeProxy, type NodeProxy } from '@hindsight/chain/test/support/node-proxy.ts';
import { startDevchain, type Devchain } from '@hindsight/devchain/devchain.ts';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { runBalance, type RunningBalance, type RunOptions } from './run-balance.ts';

export interface BalanceOnDevchain extends RunningBalance {
  /** The run's is stopped by the run, not by `stop`. */
  readonly devchain: Devchain;
}

/** Opens the node of the run's dev chain. */
export async function nodeOnDevchain(): Promise<EthereumNode> {
  const { url } = await sharedDevchain(process.env);
  return carriedJsonRpc({ url, timeoutMs: 60_000 });
}

/** Starts the service on the run's dev chain. */
export async function runOnDevchain(): Promise<BalanceOnDevchain> {
  const devchain = await sharedDevchain(process.env);
  return { ...(await runBalance(devchain.url)), devchain };
}

/** The same on a dev chain of its own, which its tests may change. */
export async function runOnOwnDevchain(options: RunOptions = {}): Promise<BalanceOnDevchain> {
  const devchain = await startDevchain();
  const balance = await runBalance(devchain.url, options);
  const stop = async (): Promise<void> => {
    await balance.stop();
    await devchain.stop();
  };
  return { ...balance, devchain, stop };
}

/** The same, with a proxy before the node that counts its calls and holds them back. */
export async function runBehindProxy(): Promise<BalanceOnDevchain & { readonly proxy: NodeProxy }> {
  const { front: proxy, ...balance } = await runBehind(startNodeProxy);
  return { ...balance, proxy };
}

/** The same, with a node in front whose answers can be altered and counted. */
export async function runBehindAlteredNode(): Promise<BalanceOnDevchain & { readonly node: AlteredNode }> {
  const { front: node, ...balance } = await runBehind(startAlteredNode);
  return { ...balance, node };
}

/** A server between the service and the node. */
interface Front {
  readonly url: string;
  close(): Promise<void>;
}

async function runBehind<F extends Front>(
  start: (url: string) => Promise<F>,
): Promise<BalanceOnDevchain & { readonly front: F }> {
  const devchain = await sharedDevchain(process.env);
  const front = await start(devchain.url);
  const balance = await runBalance(front.url);
  const stop = async (): Promise<void> => {
    await balance.stop();
    await front.close();
  };
  return { ...balance, devchain, front, stop };
}
