/** Several gateways on one ledger: crashes, lost disks, lost answers, silence, months that end, plans that change. */
import { createLogger } from '@hindsight/shared/logger.ts';
import { StoreUnavailable } from '@hindsight/shared/stores/unavailable.ts';
import { byRecord, type CountedEvent } from '@hindsight/shared/usage/fold.ts';
import { LANE_DEAD_MS, LATEST_DAYS } from '@hindsight/shared/usage/lane-life.ts';
import type { QuotaLedger, UsageStore } from '@hindsight/shared/usage/ports.ts';
import { openMonths } from '@hindsight/shared/usage/reconcile.ts';
import { randomUUID } from 'node:crypto';
import { LaneKeeper } from '../jobs/keep-lane.ts';
import { LeasedQuota } from '../leased-quota.ts';
import type { Admission } from '../quota-account.ts';

/** The project of all requests. */
export const PROJECT = 'p';

/** How the ledger behaves: it may fail, or do what was asked and lose the answer. */
export type Weather = 'fair' | 'away' | 'answer lost';

const DAY_MS = 86_400_000;
const logger = createLogger({ name: 'test', level: 'silent' });

/** A clock that the world moves. */
export interface MovedClock {
  time: number;
  now(): number;
}

/** All of it. */
export class QuotaWorld {
  weather: Weather = 'fair';
  limit: number;
  /** Requests that were answered and count, by month; those of dead gateways too. */
  readonly answered = new Map<string, number>();
  /** Of these, what was on a disk that is lost, came too late, or of a lane that was given up. */
  readonly uncounted = new Map<string, number>();
  /** Answered by a life that was given up before. */
  answeredAfterEnd = 0;
  /** The highest limit that a month has had. */
  readonly highest = new Map<string, number>();
  readonly clock: MovedClock;
  readonly #usage: UsageStore;
  #gateways: Gateway[];
  /** Dead ones whose next life does not come, with what is still on their disks. */
  readonly #lost: Gateway[] = [];

  constructor(usage: UsageStore, clock: MovedClock, gateways: number, limit: number) {
    this.#usage = usage;
    this.clock = clock;
    this.limit = limit;
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
      giveBack: (returns) => through(() => usage.giveBack(returns)),
      renewLane: (lane) => through(() => usage.renewLane(lane)),
    });
    return gateway;
  }

  #at(which: number): Gateway {
    return this.#gateways[which % this.#gateways.length]!;
  }

  async ask(which: number, requests: number, counts: boolean): Promise<void> {
    const gateway = this.#at(which);
    const month = new Date(this.clock.time).toISOString().slice(0, 7);
    this.highest.set(month, Math.max(this.highest.get(month) ?? 0, this.limit));
    await gateway.keeper.renew();
    await Promise.all(
      Array.from({ length: requests }, async () => {
        const day = await gateway.ask(this.limit, counts);
        if (day === undefined) return;
        add(this.answered, day, 1);
        if (gateway.givenUp) this.answeredAfterEnd++;
      }),
    );
  }

  /** Some of what is on a gateway's disk is sent, and some of it again. */
  async send(which: number, most: number): Promise<void> {
    await this.#send(this.#at(which), most);
  }

  async #send(gateway: Gateway, most: number): Promise<void> {
    const frames = gateway.unsent.splice(0, most);
    for (const frame of await this.#apply(gateway.lane, frames)) add(this.uncounted, frame.day, 1);
    gateway.sent.push(...frames);
    // What was refused is refused again, and what was counted is counted once.
    await this.#apply(gateway.lane, gateway.sent.slice(-most - 3));
  }

  /** Resolves to what was refused. */
  async #apply(lane: string, frames: readonly Frame[]): Promise<Frame[]> {
    const isLate = ({ day }: Frame): boolean =>
      Date.parse(day) + (LATEST_DAYS + 1) * DAY_MS < this.clock.time;
    const inTime = frames.filter((frame) => !isLate(frame));
    const refusals = await this.#usage.apply(byRecord(inTime.map((frame) => toEvent(lane, frame))));
    const refused = inTime.filter(({ sequence, day }) =>
      refusals.some(({ after, month }) => sequence > after && day.startsWith(month)),
    );
    return [...frames.filter(isLate), ...refused];
  }

  /** Its memory is gone; its spool is read and its lane closed by its next life. */
  async crash(which: number): Promise<void> {
    const dead = this.#replace(which);
    await this.#close(dead);
  }

  /** Its memory is gone and its machine too; the disk may be found later. */
  loseDisk(which: number, found: boolean): void {
    const dead = this.#replace(which);
    if (!found) for (const { day } of dead.unsent.splice(0)) add(this.uncounted, day, 1);
    this.#lost.push(dead);
  }

  #replace(which: number): Gateway {
    const at = which % this.#gateways.length;
    const dead = this.#gateways[at]!;
    dead.keeper.stop();
    this.#gateways[at] = this.#born();
    return dead;
  }

  async #close(dead: Gateway): Promise<void> {
    for (let i = 0; i < 2; i++) {
      await this.#send(dead, Infinity);
      await this.#usage.closeLane(dead.lane);
    }
  }

  /** An operator takes lanes for lost, rightly or not. */
  async giveUp(which: number): Promise<void> {
    for (const gateway of [...this.#lost, this.#at(which)]) {
      const { outcome } = await this.#usage.giveUpLane(gateway.lane, LANE_DEAD_MS);
      gateway.givenUp ||= outcome === 'given up';
    }
  }

  cutOff(which: number, isCutOff: boolean): void {
    this.#at(which).cutOff = isCutOff;
  }

  /** Time goes by; who can renews its lane all the while, and who has ended starts again. */
  async wait(milliseconds: number): Promise<void> {
    this.clock.time += milliseconds;
    for (const [i, gateway] of this.#gateways.entries()) {
      await gateway.keeper.renew();
      if (gateway.ended) await this.crash(i);
    }
    await this.#usage.settle(openMonths(this.clock.time).at(-1)!, 100);
  }

  async end(): Promise<void> {
    this.weather = 'fair';
    for (const gateway of this.#gateways) {
      gateway.cutOff = false;
      await gateway.quota.close();
      gateway.keeper.stop();
      await this.#close(gateway);
    }
    for (const dead of this.#lost) await this.#send(dead, Infinity);
    this.clock.time += LANE_DEAD_MS;
    await this.giveUp(0);
    for (const { lane } of this.#lost) await this.#usage.closeLane(lane);
  }
}

/** One counted request on disk. */
interface Frame {
  readonly sequence: number;
  readonly day: string;
}

class Gateway {
  readonly lane = randomUUID();
  readonly quota: LeasedQuota;
  readonly keeper: LaneKeeper;
  readonly unsent: Frame[] = [];
  readonly sent: Frame[] = [];
  cutOff = false;
  givenUp = false;
  ended = false;
  #sequence = 0;

  constructor(clock: MovedClock, ledger: QuotaLedger) {
    const { lane } = this;
    const onEnded = (): void => void (this.ended = true);
    this.keeper = new LaneKeeper({ registry: ledger, lane, clock, logger, onEnded });
    const maySpend = (now: number): boolean => this.keeper.maySpend(now);
    this.quota = new LeasedQuota({ ledger, lane, clock, maySpend, onFailure: () => undefined });
  }

  /** The day of an admitted request that counts. */
  async ask(limit: number, counts: boolean): Promise<string | undefined> {
    let admission: Admission;
    try {
      admission = await this.quota.admit(PROJECT, limit);
    } catch {
      return undefined;
    }
    this.quota.done(admission, counts);
    if (!counts) return undefined;
    this.unsent.push({ sequence: this.#sequence++, day: admission.day });
    return admission.day;
  }
}

function toEvent(lane: string, { sequence, day }: Frame): CountedEvent {
  return { lane, sequence, entries: [{ project: PROJECT, day, endpoint: 'x', requests: 1, orders: 0 }] };
}

function add(sums: Map<string, number>, day: string, count: number): void {
  const month = day.slice(0, 7);
  sums.set(month, (sums.get(month) ?? 0) + count);
}
