/** The ledger of units in memory, with the sizing of the real ones; it counts its writes. */
import { batchOf } from '@hindsight/usage/lease.ts';
import type { Lease, LeaseRelease, LeaseRequest } from '@hindsight/usage/ports.ts';

interface ProducerPart {
  held: number;
  revision: number;
}

interface Account {
  taken: number;
  readonly producers: Map<string, ProducerPart>;
}

/** One month of all projects. */
export class MemoryLedger {
  /** Leases and releases that changed a record. */
  writes = 0;
  readonly #accounts = new Map<string, Account>();

  take({ project, producer, limit, waiting, atHand, most }: Omit<LeaseRequest, 'month'>): Lease {
    const account = this.#accountOf(project);
    const part = partOf(account, producer);
    const unclaimed = Math.max(limit - account.taken, 0);
    const units = batchOf(unclaimed, waiting, atHand, most);
    const outstanding = part.held;
    if (units > 0) {
      this.writes++;
      account.taken += units;
      part.held += units;
      part.revision++;
    }
    return { units, outstanding, revision: part.revision, unclaimed: unclaimed - units };
  }

  release({
    project,
    producer,
    units,
    revision,
  }: Omit<LeaseRelease, 'month'>): LeaseRelease['revision'] | undefined {
    const account = this.#accountOf(project);
    const part = partOf(account, producer);
    if (part.revision !== revision) return undefined;
    this.writes++;
    account.taken -= units;
    part.held -= units;
    return ++part.revision;
  }

  /** Units that are taken, spent or not, of all projects. */
  get taken(): number {
    let taken = 0;
    for (const account of this.#accounts.values()) taken += account.taken;
    return taken;
  }

  /** Units that were spent before the simulation began. */
  spend(project: string, units: number): void {
    this.#accountOf(project).taken += units;
  }

  #accountOf(project: string): Account {
    let account = this.#accounts.get(project);
    if (account === undefined) this.#accounts.set(project, (account = { taken: 0, producers: new Map() }));
    return account;
  }
}

function partOf({ producers }: Account, producer: string): ProducerPart {
  let part = producers.get(producer);
  if (part === undefined) producers.set(producer, (part = { held: 0, revision: 0 }));
  return part;
}
