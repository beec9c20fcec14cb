import { setTimeout as sleep } from 'node:timers/promises';
import { runAdminAgain } from './admin-here.ts';

/** A project that the administration has made. */
export interface MadeProject {
  readonly project: string;
  readonly key: string;
}

/** The answer of `GET /v1/usage`, as far as tests read it. */
interface Usage {
  readonly requests: { readonly used: number };
  readonly orders: { readonly received: number };
}

/** Gateways with the metering service behind them, as operators and customers see them. */
export abstract class MeteredGateways {
  /** Of the administration. */
  abstract readonly settings: Readonly<Record<string, string>>;
  abstract get urls(): readonly string[];

  /** Runs the administration, again where a busy machine's store was too slow for it. @throws when it fails */
  async admin(...words: string[]): Promise<string> {
    const { code, stdout, stderr } = await runAdminAgain(this.settings, ...words);
    if (code !== 0) throw new Error(`admin ${words.join(' ')}: ${stderr}`);
    return stdout;
  }

  /** Makes an enterprise project. @param more options of the command */
  async createProject(limit: number, rate = 100_000, more: readonly string[] = []): Promise<MadeProject> {
    const limits = ['--monthly-limit', String(limit), '--rate', String(rate), ...more];
    const words = ['project', 'create', '--name', 'faults', '--plan', 'enterprise', ...limits, '--json'];
    return JSON.parse(await this.admin(...words)) as MadeProject;
  }

  /** Counted units, as the project itself sees them. */
  async used(key: string, gateway = this.urls.length - 1): Promise<number> {
    return (await this.#usage(key, gateway))?.requests.used ?? NaN;
  }

  /** Counted orders, as the project itself sees them; NaN if it gets no answer 200. */
  async ordersOf(key: string, gateway = this.urls.length - 1): Promise<number> {
    return (await this.#usage(key, gateway))?.orders.received ?? NaN;
  }

  async #usage(key: string, gateway: number): Promise<Usage | undefined> {
    const response = await fetch(`${this.urls[gateway]!}/v1/usage`, {
      headers: { 'x-api-key': key },
    });
    return response.status === 200 ? ((await response.json()) as Usage) : undefined;
  }

  /** Waits until at least this many are counted and nothing more comes for a while. @returns the count */
  async settled(key: string, atLeast: number, withinMs = 300_000): Promise<number> {
    const STILL_MS = 1_000;
    let [last, since] = [NaN, Date.now()];
    for (const end = Date.now() + withinMs; Date.now() < end; await sleep(200)) {
      const now = await this.used(key).catch(() => NaN);
      if (now !== last) [last, since] = [now, Date.now()];
      if (now >= atLeast && Date.now() - since > STILL_MS) break;
    }
    return last;
  }
}
