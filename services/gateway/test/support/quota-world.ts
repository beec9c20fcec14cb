/** Several gateways on one ledger: crashes, lost disks, lost answers, months that end, plans that change. */
import { DAY_MS } from '@hindsight/kernel/durations.ts';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import { byRecord } from '@hindsight/usage/fold.ts';
import { LATEST_DAYS } from '@hindsight/usage/lateness.ts';
import type { UsageStore } from '@hindsight/usage/ports.ts';
import { openMonths } from '@hindsight/usage/reconcile.ts';
import { Gateway, toEvent, type Frame, type LimitsOf, type MovedClock } from './quota-gateway.ts';

/** The ledger's behaviour: it works, fails, or does its work and loses the answer. */
export type Weather = 'fair' | 'away' | 'answer lost';

/** The fate of the units of a month's answered requests; each is in one of the last three. */
export interface Tally {
  readonly answered: number;
  readonly counted: number;
  /** Came too late. */
  readonly refused: number;
  /** On a disk that is lost. */
  readonly lost: number;
}

/** All of it. */
export class QuotaWorld {
  weather: Weather = 'fair';
  limit: number;
  /** Of one of the project's keys, which sends every second request. */
  readonly cap: number;
  readonly #answered: Frame[] = [];
  readonly #counted = new Set<Frame>();
  readonly #refused = new Set<Frame>();
  readonly #onLostDisks: Frame[] = [];
  /** The highest limit that a month has had. */
  readonly highest = new Map<string, number>();
  readonly clock: MovedClock;
  readonly #usage: UsageStore;
  #gateways: Gateway[];
  /** Dead ones without a successor on the same disk, with the rest of its contents. */
  readonly #lost: Gateway[] = [];

  constructor(usage: UsageStore, clock: MovedClock, gateways: number, limit: number, cap: number) {
    this.#usage = usage;
    this.clock = clock;
    this.limit = limit;
    this.cap = cap;
    this.#gateways = Array.from({ length: gateways }, () => this.#born());
  }

  #born(): Gateway {
    const through = async <T>(work: () => Promise<T>): Promise<T> => {
      const { weather } = this;
      if (weather === 'away' || gateway.cutOff) throw new StoreUnavailable('test', 'away');
      const result = await work();
      if (weather === 'answer lost') throw new StoreUnavailable('test', 'the answer is lost');
      return result;
    };
    const usage = this.#usage;
    const gateway: Gateway = new Gateway(this.clock, {
      take: (request) => through(() => usage.take(request)),
      release: (releases) => through(() => usage.release(releases)),
    });
    return gateway;
  }

  /** Units of these stay taken. */
  get hasLostDisks(): boolean {
    return this.#lost.some(({ hasDisk }) => !hasDisk);
  }

  #at(which: number): Gateway {
    return this.#gateways[which % this.#gateways.length]!;
  }

  /** Concurrent requests; each costs its number of units at most, and a part of them, if it counts. */
  async ask(which: number, most: readonly number[], counts: boolean): Promise<void> {
    const gateway = this.#at(which);
    this.#noteLimit();
    await Promise.all(
      most.map(async (units, at) => {
        const cost = counts ? 1 + (at % units) : 0;
        const frame = await gateway.ask(this.#limitsOf(at), units, cost);
        if (frame !== undefined) this.#answered.push(frame);
      }),
    );
  }

  /** A stream begins. */
  async begin(which: number, most: number): Promise<void> {
    this.#noteLimit();
    await this.#at(which).begin(this.#limitsOf(most), most);
  }

  /** One of its streams goes on, or ends. */
  goOn(which: number, stream: number, units: number): void {
    const gateway = this.#at(which);
    const frame = gateway.goOn(stream, units);
    if (units === 0) gateway.finish(stream);
    else if (frame !== undefined) this.#answered.push(frame);
  }

  #limitsOf(request: number): LimitsOf {
    return { limit: this.limit, cap: request % 2 === 0 ? undefined : this.cap };
  }

  #noteLimit(): void {
    const month = new Date(this.clock.time).toISOString().slice(0, 7);
    this.highest.set(month, Math.max(this.highest.get(month) ?? 0, this.limit));
  }

  /** Sends some usage of a gateway's disk, and some of it again. */
  async send(which: number, most: number): Promise<void> {
    await this.#send(this.#at(which), most);
  }

  async #send(gateway: Gateway, most: number): Promise<void> {
    const frames = gateway.unsent.splice(0, most);
    await this.#apply(gateway, frames);
    gateway.sent.push(...frames);
    // Counted usage is counted once.
    await this.#apply(gateway, gateway.sent.slice(-most - 3));
  }

  async #apply(gateway: Gateway, frames: readonly Frame[]): Promise<void> {
    const { producer, applied } = gateway;
    const isLate = ({ day }: Frame): boolean =>
      Date.parse(day) + (LATEST_DAYS + 1) * DAY_MS < this.clock.time;
    const inTime = frames.filter((frame) => !isLate(frame));
    const refusals = await this.#usage.apply(byRecord(inTime.map((frame) => toEvent(producer, frame))));
    for (const frame of frames) {
      const { sequence } = frame;
      const month = monthOf(frame);
      const refused = refusals.some((one) => one.month === month);
      if (isLate(frame) || refused) {
        if (!this.#counted.has(frame)) this.#refused.add(frame);
      } else if (sequence > (applied.get(month) ?? -1)) {
        applied.set(month, sequence);
        this.#counted.add(frame);
      }
    }
  }

  /** Its memory is gone; the next instance reads its disk and closes it. */
  async crash(which: number): Promise<void> {
    const dead = this.#replace(which);
    await this.#close(dead);
  }

  /** Its memory is gone and its machine too; the disk may be found later. */
  loseDisk(which: number, found: boolean): void {
    const dead = this.#replace(which);
    if (!found) this.#onLostDisks.push(...dead.unsent.splice(0));
    dead.hasDisk = found;
    this.#lost.push(dead);
  }

  /** A disk is found: some of its contents are sent, and its producer is closed once all are. */
  async findDisk(which: number, most: number): Promise<void> {
    const found = this.#lost.filter(({ hasDisk }) => hasDisk);
    if (found.length === 0) return;
    const gateway = found[which % found.length]!;
    await this.#send(gateway, most);
    if (gateway.unsent.length === 0) await this.#usage.closeProducer(gateway.producer);
  }

  #replace(which: number): Gateway {
    const at = which % this.#gateways.length;
    const dead = this.#gateways[at]!;
    this.#gateways[at] = this.#born();
    return dead;
  }

  async #close(dead: Gateway): Promise<void> {
    for (let i = 0; i < 2; i++) {
      await this.#send(dead, Infinity);
      await this.#usage.closeProducer(dead.producer);
    }
  }

  cutOff(which: number, isCutOff: boolean): void {
    this.#at(which).cutOff = isCutOff;
  }

  /** Time passes; months end and are settled. */
  async wait(milliseconds: number): Promise<void> {
    this.clock.time += milliseconds;
    await this.#usage.settle(openMonths(this.clock.time).at(-1)!, 100);
  }

  /** Sends all usage on any disk, and closes those producers. */
  async end(): Promise<void> {
    this.weather = 'fair';
    for (const gateway of this.#gateways) {
      gateway.cutOff = false;
      await gateway.quota.close();
      await this.#close(gateway);
    }
    for (const gateway of this.#lost.filter(({ hasDisk }) => hasDisk)) await this.#close(gateway);
  }

  /** By month; of all requests, or of those with the key that has a cap. */
  tallies(of: 'all' | 'capped' = 'all'): ReadonlyMap<string, Tally> {
    const months = new Set(this.#answered.map(monthOf));
    const tally = (month: string): Tally => {
      const isMeant = (frame: Frame): boolean => monthOf(frame) === month && (of === 'all' || frame.capped);
      const sum = (frames: Iterable<Frame>): number =>
        [...frames].reduce((units, frame) => units + (isMeant(frame) ? frame.units : 0), 0);
      return {
        answered: sum(this.#answered),
        counted: sum(this.#counted),
        refused: sum(this.#refused),
        lost: sum(this.#onLostDisks),
      };
    };
    return new Map([...months].map((month) => [month, tally(month)]));
  }
}

function monthOf({ day }: Frame): string {
  return day.slice(0, 7);
}
