import type { CountingProgress } from '../../counting/ports.ts';
import type { Run } from './documents.ts';

const _id = 'counted';

/** Progress of counting, in a ledger in MongoDB: one document, which every process that counts writes. */
export function createMongodbProgress(run: Run): CountingProgress {
  return {
    note: (to) =>
      run(
        async ({ progress }) => void (await progress.updateOne({ _id }, { $set: { to } }, { upsert: true })),
      ),
    countedTo: () => run(async ({ progress }) => (await progress.findOne({ _id }))?.to),
  };
}
