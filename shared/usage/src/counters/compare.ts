/** Compares the copy of the counters with the ledger, record by record. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { CountedRecords, CounterCopy, RevisedMonth } from './ports.ts';
import type { RecordName } from '../calendar.ts';
import type { UsageUpkeep } from '../ports.ts';

export const DISAGREEMENTS = {
  behind: 'the copy has an older revision, and has not caught up for a second',
  ahead: 'the copy has a revision that the ledger has not: the ledger was put back from a backup',
  different: 'the copy has other counts of the same revision',
} as const;

export interface Disagreement extends RecordName {
  readonly kind: keyof typeof DISAGREEMENTS;
  readonly copied: Counts;
  readonly recorded: Counts;
}

type Counts = Pick<RevisedMonth, 'revision' | 'requests' | 'orders'>;

export interface CopyComparison {
  readonly month: string;
  readonly compared: number;
  /**
   * Records that are not in the copy, or not valid there: they are read from the ledger, so it is no
   * disagreement.
   */
  readonly absent: number;
  readonly disagreeing: number;
  /** The first of them only, when there are many. */
  readonly disagreements: readonly Disagreement[];
}

type AuditPages = Pick<UsageUpkeep, 'audit'>;

export interface CompareDeps {
  readonly ledger: AuditPages;
  readonly records: Pick<CountedRecords, 'readMany'>;
  readonly copy: Pick<CounterCopy, 'findMany' | 'remove'>;
}

interface Choice {
  readonly month: string;
  /** Compares about this many records, from random places; all if not given. */
  readonly sample?: number | undefined;
  readonly repair?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

const PAGE = 500;
const MAX_LISTED = 100;
/** A copy that is being written has this long to catch up. */
const LOOKS = 5;
const LOOK_AGAIN_MS = 250;

/** Goes through a month's records, or a sample of them. @throws the copy's errors {StoreUnavailable} */
export async function compareCounters(deps: CompareDeps, choice: Choice): Promise<CopyComparison> {
  const { month, sample, repair = false, signal } = choice;
  const disagreements: Disagreement[] = [];
  let [compared, absent, disagreeing] = [0, 0, 0];
  for await (const projects of sample === undefined
    ? allPages(deps.ledger, month)
    : samplePages(deps.ledger, month, sample)) {
    signal?.throwIfAborted();
    const names = projects.map((project) => ({ project, month }));
    const found = await comparePage(deps, names);
    compared += names.length;
    absent += found.absent;
    disagreeing += found.disagreements.length;
    disagreements.push(...found.disagreements.slice(0, MAX_LISTED - disagreements.length));
    // For the next reader, the ledger fills what is removed here.
    for (const { project, copied } of repair ? found.disagreements : [])
      await deps.copy.remove({ project, month }, copied.revision);
  }
  return { month, compared, absent, disagreeing, disagreements };
}

async function* allPages(ledger: AuditPages, month: string): AsyncGenerator<string[]> {
  for (let after: string | undefined = ''; after !== undefined;) {
    const page: string[] = await projectsAfter(ledger, month, after);
    yield page;
    after = page.length < PAGE ? undefined : page.at(-1);
  }
}

/** Projects have random ids, so what follows a random one is a random choice. */
async function* samplePages(ledger: AuditPages, month: string, sample: number): AsyncGenerator<string[]> {
  for (let left = sample; left > 0; left -= PAGE) {
    const page = await projectsAfter(ledger, month, crypto.randomUUID());
    yield page.slice(0, left);
  }
}

async function projectsAfter(ledger: AuditPages, month: string, after: string): Promise<string[]> {
  return (await ledger.audit(month, after, PAGE)).map(({ project }) => project);
}

interface Pair {
  readonly copied: RevisedMonth;
  readonly recorded: RevisedMonth;
}

/** Reads the copy first: it can then never rightly be ahead of the ledger. */
async function comparePage({ copy, records }: CompareDeps, names: readonly RecordName[]) {
  const copies = await copy.findMany(names);
  const ledger = await records.readMany(names);
  const pairs = ledger.flatMap((recorded, i): Pair[] => {
    const copied = copies[i];
    return copied === undefined ? [] : [{ copied, recorded }];
  });
  const behind = await stillBehind(copy, pairs);
  const disagreements = pairs.flatMap((pair): Disagreement[] => {
    const kind = behind.has(pair) ? 'behind' : kindOf(pair);
    if (kind === undefined) return [];
    const { copied, recorded } = pair;
    const { project, month } = recorded;
    return [{ project, month, kind, copied: countsOf(copied), recorded: countsOf(recorded) }];
  });
  return { absent: names.length - pairs.length, disagreements };
}

function kindOf({ copied, recorded }: Pair): 'ahead' | 'different' | undefined {
  if (copied.revision > recorded.revision) return 'ahead';
  if (copied.revision < recorded.revision) return undefined;
  return isDeepStrictEqual(contentOf(copied), contentOf(recorded)) ? undefined : 'different';
}

/** A batch may be on its way from the ledger to the copy: wait, then read those that differ again. */
async function stillBehind(copy: CompareDeps['copy'], pairs: readonly Pair[]): Promise<ReadonlySet<Pair>> {
  let behind = pairs.filter(({ copied, recorded }) => copied.revision < recorded.revision);
  for (let look = 0; look < LOOKS && behind.length > 0; look++) {
    await sleep(LOOK_AGAIN_MS);
    const later = await copy.findMany(behind.map(({ recorded }) => recorded));
    behind = behind.filter(({ recorded }, i) => (later[i]?.revision ?? Infinity) < recorded.revision);
  }
  return new Set(behind);
}

/** Units are as of their reading: leases change them without a revision. */
function contentOf({ requests, orders, days, statuses = {}, keys = {} }: RevisedMonth) {
  return { requests, orders, days, statuses, keys };
}

function countsOf({ revision, requests, orders }: RevisedMonth): Counts {
  return { revision, requests, orders };
}
