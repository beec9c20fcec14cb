/** The service on the run's dev chain, as in `const balance = forAllTests(runOnDevchain, 'stop');`. */
import { startNodeProxy, type NodeProxy } from '@hindsight/chain/test/support/node-proxy.ts';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { runBalance, type RunningBalance } from './run-balance.ts';

export interface BalanceOnDevchain extends RunningBalance {
  /** Stopped by the run, not by `stop`. */
  readonly devchain: Devchain;
}

/** Starts the service on the run's dev chain. */
export async function runOnDevchain(): Promise<BalanceOnDevchain> {
  const devchain = await sharedDevchain(process.env);
  return { ...(await runBalance(devchain.url)), devchain };
}

/** The same, with a proxy before the node that counts its calls and holds them back. */
export async function runBehindProxy(): Promise<BalanceOnDevchain & { readonly proxy: NodeProxy }> {
  const devchain = await sharedDevchain(process.env);
  const proxy = await startNodeProxy(devchain.url);
  const balance = await runBalance(proxy.url);
  const stop = async (): Promise<void> => {
    await balance.stop();
    await proxy.close();
  };
  return { ...balance, devchain, proxy, stop };
}
