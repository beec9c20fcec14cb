import type { Context } from './context.ts';

const EVERY_MS = 200;

/** Rows done, rows per second and the time that is left, on one line, where a person sees it. */
export class Progress {
  readonly #context: Context;
  readonly #total: number;
  readonly #begun = performance.now();
  readonly #before: number;
  #done: number;
  #shownAt = 0;

  /** @param done rows of an earlier run @param total 0 where it is not known */
  constructor(context: Context, done: number, total: number) {
    this.#context = context;
    this.#before = done;
    this.#done = done;
    this.#total = total;
  }

  add(): void {
    this.#done += 1;
    if (!this.#context.stderr.isTTY) return;
    const now = performance.now();
    if (now - this.#shownAt < EVERY_MS) return;
    this.#shownAt = now;
    this.#context.stderr.write(`\r\u001b[K${this.#line(now)}`);
  }

  end(): void {
    if (this.#context.stderr.isTTY) this.#context.stderr.write(`\r\u001b[K`);
  }

  #line(now: number): string {
    const rate = ((this.#done - this.#before) * 1000) / Math.max(now - this.#begun, 1);
    const figures = `${whole(this.#done)} rows, ${whole(rate)}/s`;
    if (this.#total === 0) return figures;
    const left = duration((this.#total - this.#done) / Math.max(rate, 1e-9));
    return `${whole(this.#done)} of ${whole(this.#total)} rows, ${whole(rate)}/s, ${left} left`;
  }
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function duration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  if (seconds < 3600) return `${Math.ceil(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
