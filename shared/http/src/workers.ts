/**
 * One service on several cores. The primary process starts workers and shares out the connections among them; each worker
 * is the whole service. Seen from outside they are one process: one port, one `/readyz`, one `/metrics`, one SIGTERM.
 */
import cluster, { type Worker } from 'node:cluster';
import { withDeadline } from '@hindsight/kernel/deadline.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import type { ReadinessCheck } from '@hindsight/kernel/readiness.ts';
import type { Telemetry } from '@hindsight/kernel/telemetry/port.ts';
import { mergeMetrics } from './merge-metrics.ts';

/** A worker that does not send its metrics within this time is left out of the answer. */
const METRICS_WITHIN_MS = 2_000;

/** From the primary: how many workers run of how many, or a request for metrics. */
type ToWorker = { readonly running: number; readonly wanted: number } | { readonly metricsFor: number };
interface FromWorker {
  readonly metricsFor: number;
  readonly text: string;
}

type Deps = Pick<Platform, 'logger' | 'lifecycle'>;

/** The primary's side. */
export class Workers {
  readonly #wanted: number;
  readonly #deps: Deps;
  /** Those that listen, by their number from 1. A replacement takes over the number. */
  readonly #running = new Map<number, Worker>();
  readonly #answers = new Map<number, (text: string) => void>();
  #asked = 0;

  constructor(wanted: number, deps: Deps) {
    this.#wanted = wanted;
    this.#deps = deps;
  }

  /** Starts all workers. Resolves when each of them listens. @throws when one ends before */
  async start(): Promise<void> {
    const { lifecycle } = this.#deps;
    if (lifecycle.stopping) return;
    const ended = Promise.withResolvers<void>();
    ended.promise.catch(() => undefined);
    // Workers take the connections: they drain while their primary waits.
    lifecycle.onDrain(() => void this.#end().then(ended.resolve, ended.reject));
    // The primary does little else: they have all of its time.
    lifecycle.onStop('workers', () => ended.promise, undefined, 1);
    await Promise.all(Array.from({ length: this.#wanted }, (_, index) => this.#fork(index + 1)));
  }

  /** Metrics of the primary and of all workers, told apart by the label `worker`. */
  async metricsText(own: Telemetry): Promise<string> {
    const texts = [...this.#running].map(async ([number, worker]) => {
      const text = await this.#ask(worker).catch(() => '');
      return { worker: String(number), text };
    });
    const primary = { worker: 'primary', text: await own.metricsText() };
    return mergeMetrics([primary, ...(await Promise.all(texts))]);
  }

  #fork(number: number): Promise<void> {
    const worker = cluster.fork();
    worker.on('message', ({ metricsFor, text }: FromWorker) => this.#answers.get(metricsFor)?.(text));
    return new Promise((listens, failed) => {
      worker.once('listening', () => {
        this.#running.set(number, worker);
        this.#report();
        listens();
      });
      worker.once('exit', (code, signal) => {
        const ran = this.#running.delete(number);
        if (this.#deps.lifecycle.stopping) return;
        if (!ran) {
          failed(new Error(`worker ${number} ended before it listened (${signal ?? code})`));
          return;
        }
        this.#deps.logger.error({ worker: number, code, signal }, 'a worker ended; it is replaced');
        this.#report();
        // One that cannot start again is an unhandled rejection, which ends the process: its supervisor takes over.
        void this.#fork(number);
      });
    });
  }

  #report(): void {
    const message: ToWorker = { running: this.#running.size, wanted: this.#wanted };
    // One that has just ended gets none; its exit comes next.
    for (const worker of this.#running.values()) worker.send(message, () => undefined);
  }

  #ask(worker: Worker): Promise<string> {
    const id = ++this.#asked;
    const answer = new Promise<string>((done) => this.#answers.set(id, done));
    worker.send({ metricsFor: id } satisfies ToWorker, () => undefined);
    const late = (): Error => new Error('no metrics');
    return withDeadline(answer, METRICS_WITHIN_MS, late).finally(() => this.#answers.delete(id));
  }

  async #end(): Promise<void> {
    const ends = Object.values(cluster.workers ?? {}).map(async (worker) => {
      if (!worker || worker.isDead()) return;
      const ended = new Promise<boolean>((done) =>
        // One that dies of the signal had not begun its start.
        worker.once('exit', (code, signal) => done(code === 0 || signal === 'SIGTERM')),
      );
      worker.process.kill('SIGTERM');
      if (!(await ended)) throw new Error(`worker ${worker.id} did not stop cleanly`);
    });
    await Promise.all(ends);
  }
}

/** The worker's side: sends its metrics when asked. @returns the check that all workers run */
export function joinPrimary(telemetry: Telemetry): ReadinessCheck {
  let running = 0;
  let wanted = 0;
  process.on('message', (message: ToWorker) => {
    if ('running' in message) ({ running, wanted } = message);
    else void answer(message.metricsFor);
  });
  const answer = async (metricsFor: number): Promise<void> => {
    // Metrics end before the process does: one that sends traces waits for their receiver.
    const text = await telemetry.metricsText().catch(() => '');
    process.send?.({ metricsFor, text } satisfies FromWorker);
  };
  return {
    name: 'workers',
    check() {
      const detail = `${running} of ${wanted} run`;
      return running === wanted ? Promise.resolve(detail) : Promise.reject(new Error(detail));
    },
  };
}
