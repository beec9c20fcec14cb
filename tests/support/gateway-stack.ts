/** `npm run stack -- --gateways N`, attacked as its operator would be attacked. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { standstill } from '@hindsight/tools/servers/standstill.ts';
import { MeteredGateways } from './metered-gateways.ts';
import { RunningStack, startByHand, untilGone } from './running-stack.ts';
import { freeStackPort } from './stack-port.ts';

/** A question at a finalized block. */
export const ASKED_PATH = `/v1/eth-mainnet/balance/single?token_address=${TOKENS.usdc.address}&holder=${HOLDERS.alice}&block_height=18000000`;

/** A stack and the gateways that were started again beside it. */
export class GatewayStack extends MeteredGateways {
  readonly #stack: RunningStack;
  readonly #again: (() => Promise<void>)[] = [];

  private constructor(stack: RunningStack) {
    super();
    this.#stack = stack;
  }

  /** Starts it; resolves when it is ready. */
  static async start(gateways: number): Promise<GatewayStack> {
    const stack = new GatewayStack(
      new RunningStack(await freeStackPort(gateways), ['--gateways', String(gateways)]),
    );
    try {
      await stack.#stack.untilReady();
      return stack;
    } catch (error) {
      await stack.stop();
      throw error;
    }
  }

  override get settings(): Readonly<Record<string, string>> {
    return this.#stack.file().env;
  }

  override get urls(): readonly string[] {
    return this.#stack.file().gateway.map(({ url }) => url);
  }

  /** kill -9 of a gateway, and the same again by hand, from its entry in stack.json. */
  async killAndRestart(gateway: number): Promise<void> {
    const killed = this.#stack.file().gateway[gateway]!;
    process.kill(killed.pid, 'SIGKILL');
    await untilGone([killed.pid]);
    const { end } = await startByHand('gateway', killed);
    this.#again.push(end);
  }

  /** Stops Redis for a while (SIGSTOP). */
  async pauseRedis(milliseconds: number): Promise<void> {
    const pid = this.#stack.file().servers.redis.pid!;
    process.kill(pid, 'SIGSTOP');
    try {
      await standstill(pid);
      await sleep(milliseconds);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  }

  /** Empties Redis: FLUSHALL, by the protocol's inline form. */
  flushRedis(): Promise<void> {
    const { hostname, port } = new URL(this.settings.REDIS_URL!);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.write('FLUSHALL\r\n'));
      socket.setTimeout(10_000, () => socket.destroy(new Error('Redis did not answer')));
      socket.once('error', reject);
      socket.once('data', (answer) => {
        socket.destroy();
        if (answer.toString().startsWith('+OK')) resolve();
        else reject(new Error(answer.toString()));
      });
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.#again.map((end) => end()));
    await this.#stack.stop();
  }
}
