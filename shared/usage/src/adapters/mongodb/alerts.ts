/** Alerts in MongoDB: a document for each, which is its event's outbox as well. */
import type { Collection } from 'mongodb';
import { isHeld } from '@hindsight/stores/leases.ts';
import { ifDuplicate, isWritten } from '@hindsight/stores/mongodb-errors.ts';
import type { AlertClaim, AlertStore, ThresholdReached } from '../../alerts/ports.ts';
import { DEFAULT_THRESHOLDS, validThresholds } from '../../alerts/thresholds.ts';
import { recordKey, type RecordName } from '../../calendar.ts';
import { inParts, type AlertDocument, type Run } from './documents.ts';

export function createMongodbAlerts(run: Run): AlertStore {
  return {
    async thresholdsOf(project) {
      const found = await run(({ thresholds }) => thresholds.findOne({ _id: project }));
      return found?.thresholds ?? DEFAULT_THRESHOLDS;
    },
    async setThresholds(project, chosen) {
      const update = { $set: { thresholds: validThresholds(chosen) } };
      const set = () =>
        run(({ thresholds }) => thresholds.updateOne({ _id: project }, update, { upsert: true }));
      // Of two that create the document at once, one is refused; by then it is there.
      await ifDuplicate(set(), set);
    },
    async counted(records) {
      const found = await inParts(
        records.map((record) => recordKey(record)),
        (ids) =>
          run(({ usage }) => usage.find({ _id: { $in: ids } }, { projection: { requests: 1 } }).toArray()),
      );
      const counted = new Map(found.map(({ _id, requests }) => [_id, requests]));
      return records.map((record) => counted.get(recordKey(record)) ?? 0);
    },
    reach: (alert) =>
      run(({ alerts }) => isWritten(alerts.insertOne({ _id: alertId(alert), ...alert, claimedUntil: 0 }))),
    async reached(record) {
      const first = alertId({ ...record, threshold: '' });
      // A colon follows the digits of every threshold.
      const found = await run(({ alerts }) =>
        alerts.find({ _id: { $gt: first, $lt: `${first}:` } }).toArray(),
      );
      // Another project's name may begin with this one's and a digit.
      const own = found.map(toAlert).filter(({ project }) => project === record.project);
      return own.sort((a, b) => a.threshold - b.threshold);
    },
    claim: (claim, limit) => run(({ alerts }) => claimSome(alerts, claim, limit)),
    async published(published) {
      if (published.length === 0) return;
      const ids = published.map(alertId);
      await run(({ alerts }) => alerts.updateMany({ _id: { $in: ids } }, { $unset: { claimedUntil: '' } }));
    },
  };
}

function alertId(alert: RecordName & { readonly threshold: number | string }): string {
  return `${recordKey(alert)}|${alert.threshold}`;
}

async function claimSome(
  alerts: Collection<AlertDocument>,
  { now, until }: AlertClaim,
  limit: number,
): Promise<ThresholdReached[]> {
  // One range of the index, where `freeAt` would be two: the free ones, then those that are held, then those of a clock that was ahead.
  const waiting = await alerts
    .find({ claimedUntil: { $gte: 0 } })
    .sort({ claimedUntil: 1 })
    .limit(limit)
    .toArray();
  const claimed: ThresholdReached[] = [];
  for (const document of waiting) {
    const { _id, claimedUntil = 0 } = document;
    if (isHeld(claimedUntil, now)) continue;
    const { modifiedCount } = await alerts.updateOne(
      { _id, claimedUntil },
      { $set: { claimedUntil: until } },
    );
    if (modifiedCount === 1) claimed.push(toAlert(document));
  }
  return claimed.sort((a, b) => a.at - b.at);
}

function toAlert({ project, month, threshold, requests, limit, at }: AlertDocument): ThresholdReached {
  return { project, month, threshold, requests, limit, at };
}
