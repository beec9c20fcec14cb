/** The dev chain as a server: killed and started again, with the same chain. */
import { startDevchain, type Devchain } from '@hindsight/devchain/devchain.ts';
import { seedOnThread } from '@hindsight/devchain/seed-thread.ts';
import type { ServerProcess } from '@hindsight/tools/servers/process.ts';
import { standstill } from '@hindsight/tools/servers/standstill.ts';

/** A node that runs. */
export interface DevNode extends ServerProcess {
  /** Another one after each restart: a node is reached only once it has its whole chain, as behind a load balancer. */
  readonly url: string;
}

/** Not on the thread of the clients, which it would hold up. */
const play = (): Promise<Devchain> =>
  startDevchain({ seed: (starting) => seedOnThread(starting, () => undefined) });

/** Starts it. @param onRestart called with its new address, and awaited */
export async function startDevNode(onRestart: (url: string) => Promise<void>): Promise<DevNode> {
  let chain = await play();
  return {
    get pid() {
      return chain.pid;
    },
    get url() {
      return chain.url;
    },
    async pause() {
      process.kill(chain.pid, 'SIGSTOP');
      await standstill(chain.pid);
    },
    resume: () => void process.kill(chain.pid, 'SIGCONT'),
    async kill() {
      process.kill(chain.pid, 'SIGKILL');
      await chain.stop();
    },
    async restart() {
      await chain.stop();
      chain = await play();
      await onRestart(chain.url);
    },
    stop: () => chain.stop(),
  };
}
