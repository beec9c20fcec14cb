/** Signs of life of the processes that count: a document each, with how many it has given. */
import type { CountingProcesses } from '../../counting/ports.ts';
import type { Run } from './documents.ts';

/** More would be processes that have ended and that none has forgotten. */
const MOST = 1_000;

export function createCountingProcesses(run: Run): CountingProcesses {
  return {
    beat: (name) =>
      run(async ({ processes }) => {
        await processes.updateOne({ _id: name }, { $inc: { beats: 1 } }, { upsert: true });
        const found = await processes.find({}).limit(MOST).toArray();
        return new Map(found.map(({ _id, beats }) => [_id, beats]));
      }),
    forget: (name) => run(async ({ processes }) => void (await processes.deleteOne({ _id: name }))),
  };
}
