/**
 * Compares contestants in benchmarks. They take turns over rounds, so that the machine's moods hit all of
 * them alike; the result is the median with its spread, and the processor time next to the rate. A round in
 * which others used the machine does not count; without enough quiet rounds there is no result.
 */
import type { LoadResult } from './load.ts';
import { cpuSeconds, watchOthers } from './machine.ts';
import type { Results, Row, Spread } from './results.ts';

const ROUNDS = 7;
const MAX_BUSY_ROUNDS = 3;
/** The most that others may use of all cores. */
const QUIET_SHARE = 0.06;

/** A measured subject. The first of a contest is the baseline. */
export interface Contestant {
  readonly name: string;
  /** The process whose processor time counts, with its children; without it, none is reported. */
  readonly pid?: number;
  /** Runs one round of that many operations, and returns its measurements. */
  readonly run: (operations: number) => Promise<LoadResult>;
}

interface Round extends LoadResult {
  /** Microseconds of processor time for each operation. */
  readonly cpu: number;
}

interface Contest {
  readonly title: string;
  readonly contestants: readonly Contestant[];
  /** Of each round; a quarter of it warms up. */
  readonly operations: number;
  readonly rounds?: number;
}

/** Others used the machine: the measurements mean nothing. */
class MachineBusy extends Error {
  override readonly name = 'MachineBusy';
}

/**
 * Holds a contest and reports its rows.
 * @throws {MachineBusy} unless enough rounds were quiet; `BENCH_ANYWAY=1` lets busy rounds count, and the result says so
 */
export async function contest(
  { title, contestants, operations, rounds = ROUNDS }: Contest,
  results: Results,
): Promise<readonly Row[]> {
  for (const { run } of contestants) await run(Math.ceil(operations / 4));
  const runs = contestants.map(() => [] as Round[]);
  const busy: number[] = [];
  while ((runs[0]?.length ?? 0) < rounds) {
    const others = watchOthers();
    const round: Round[] = [];
    for (const contestant of contestants) round.push(await measure(contestant, operations));
    const share = others.share();
    if (share > QUIET_SHARE && !results.anyway) {
      busy.push(share);
      if (busy.length > MAX_BUSY_ROUNDS) throw new MachineBusy(busyText(title, busy));
      continue;
    }
    for (const [i, one] of round.entries()) runs[i]?.push(one);
  }
  const rows = contestants.map(({ name, pid }, i) => rowOf(name, runs[i] ?? [], pid !== undefined));
  results.add(title, rows);
  return rows;
}

async function measure({ pid, run }: Contestant, operations: number): Promise<Round> {
  const before = pid === undefined ? 0 : cpuSeconds(pid);
  const result = await run(operations);
  const used = pid === undefined ? 0 : cpuSeconds(pid) - before;
  return { ...result, cpu: (used * 1e6) / operations };
}

function rowOf(name: string, rounds: readonly Round[], hasCpu: boolean): Row {
  const spreadOf = (pick: (round: Round) => number): Spread => {
    const sorted = rounds.map(pick).sort((a, b) => a - b);
    const at = (share: number): number => sorted[Math.round((sorted.length - 1) * share)] ?? 0;
    return { median: at(0.5), low: at(0), high: at(1) };
  };
  return {
    name,
    rate: spreadOf(({ perSecond }) => perSecond),
    p99: spreadOf(({ p99 }) => p99),
    ...(hasCpu ? { cpu: spreadOf(({ cpu }) => cpu) } : {}),
  };
}

function busyText(title: string, shares: readonly number[]): string {
  const worst = Math.round(Math.max(...shares) * 100);
  return (
    `${title}: other processes used up to ${worst} % of this machine in ${shares.length} rounds, so there is no result. ` +
    'Stop them and run it again, or set BENCH_ANYWAY=1 to see figures that mean little.'
  );
}
