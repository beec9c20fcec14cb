import { recordKey } from '@hindsight/usage/calendar.ts';
import type { QuotaLedger } from '@hindsight/usage/ports.ts';
import type { ProjectQuota } from './project-quota.ts';

interface Deps {
  readonly ledger: Pick<QuotaLedger, 'release'>;
  /** This instance of the gateway. */
  readonly producer: string;
  readonly onFailure: (error: unknown) => void;
}

/** Releases the units of idle quotas. Units are treated as released even without confirmation. */
export async function releaseUnits(
  quotas: readonly ProjectQuota[],
  what: 'all' | 'surplus',
  { ledger, producer, onFailure }: Deps,
): Promise<void> {
  const releasing = quotas.filter(({ hasUnits }) => hasUnits);
  if (releasing.length === 0) return;
  const releases = releasing.map((quota) => ({ producer, ...quota.beginRelease(what) }));
  const revisions = new Map<string, number>();
  try {
    for (const record of await ledger.release(releases)) revisions.set(recordKey(record), record.revision);
  } catch (error) {
    onFailure(error);
  }
  for (const quota of releasing) quota.released(revisions.get(recordKey(quota)));
}
