import { ifDuplicate } from '@hindsight/stores/mongodb-errors.ts';
import type { ClosedProducer } from '../../ports.ts';
import { inRounds, RECORDS_AT_ONCE, type Collections, type Run } from './documents.ts';

/** The server's clock: those of gateways and metering services may differ. */
export async function serverTime({ db }: Collections): Promise<number> {
  // By its old name, which every server supports.
  const { localTime } = await db.command({ isMaster: 1 });
  if (!(localTime instanceof Date)) throw new Error('the server answered without its time');
  return localTime.getTime();
}

/** Frees what a producer has not counted, and ends it. */
export async function closeProducer(run: Run, producer: string): Promise<ClosedProducer> {
  const closed = await freeUnits(run, producer);
  await run(async (collections) => {
    const endedAt = new Date(await serverTime(collections));
    const write = collections.producers.updateOne(
      { _id: producer, state: { $ne: 'closed' } },
      { $set: { state: 'closed', endedAt } },
      { upsert: true },
    );
    // It was closed before: the upsert met its document.
    await ifDuplicate(write, () => undefined);
  });
  return closed;
}

/** Frees what a producer has not counted. */
export async function freeUnits(run: Run, producer: string): Promise<ClosedProducer> {
  let [records, units] = [0, 0];
  await inRounds(async () => {
    for (;;) {
      const freed = await run((collections) => freeSome(collections, producer));
      records += freed.filter((unspent) => unspent > 0).length;
      units += freed.reduce((sum, unspent) => sum + unspent, 0);
      // No progress: there are no more, or all of them have just changed.
      if (freed.length === 0) break;
    }
    const left = await run(({ usage }) => usage.findOne({ holders: producer }, { projection: { _id: 1 } }));
    return left === null ? 'all' : undefined;
  });
  return { records, units };
}

/** Frees the unspent units of some records and returns them; leaves out records that have changed since. */
async function freeSome({ usage }: Collections, producer: string): Promise<readonly number[]> {
  const part = `lanes.${producer}`;
  const some = await usage
    .find({ holders: producer }, { projection: { [part]: 1 } })
    .limit(RECORDS_AT_ONCE)
    .toArray();
  if (some.length === 0) return [];
  const freeing = some.map(({ _id, lanes }) => {
    const { held = 0, counted = 0, revision = 0 } = lanes?.[producer] ?? {};
    const unspent = Math.max(held - counted, 0);
    const filter = {
      _id,
      [`${part}.revision`]: revision,
      [`${part}.counted`]: counted === 0 ? { $in: [0, null] } : counted,
    };
    const update = {
      $inc: { taken: -unspent, [`${part}.held`]: -unspent, [`${part}.revision`]: 1 },
      $pull: { holders: producer },
    };
    return { _id, unspent, write: { updateOne: { filter, update } } };
  });
  const writes = freeing.map(({ write }) => write);
  const { matchedCount } = await usage.bulkWrite(writes, { ordered: false });
  if (matchedCount === writes.length) return freeing.map(({ unspent }) => unspent);
  const ids = freeing.map(({ _id }) => _id);
  const left = await usage
    .find({ _id: { $in: ids }, holders: producer }, { projection: { _id: 1 } })
    .toArray();
  const changed = new Set(left.map(({ _id }) => _id));
  return freeing.filter(({ _id }) => !changed.has(_id)).map(({ unspent }) => unspent);
}
