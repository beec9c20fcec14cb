/**
 * The counters' copy in Redis: a hash for each record, and which of them may be believed.
 *
 * Redis may lose what it had acknowledged: it is emptied, put back from a copy, or a replica that lagged takes over. So
 * each hash has the number of an epoch, and only those of the present one are believed. The present one is vouched for by
 * the metering service, for a few seconds at a time; a server with another identity begins a new one. In a cluster any
 * primary may have lost a hash, so the identity covers all of them, and is read each time.
 */
import { partsOf } from '@hindsight/kernel/parts.ts';
import type { RedisScript, RedisStore, RunScript, RunScripts } from '@hindsight/stores/redis.ts';
import type { CounterCopy, Epoch, FoundCopy, RevisedMonth } from '../../counters/ports.ts';
import type { RecordName } from '../../calendar.ts';
import { expiryOf } from '../../lateness.ts';

/** All in one slot of a cluster: a script changes them together. */
const EPOCH = '{hindsight:usage}:1:epoch';
const VOUCHED = '{hindsight:usage}:1:vouched';
/** As long as the word: everything published before this moment is in the copy. */
const COUNTED = '{hindsight:usage}:1:counted';
/** Longer than a process that vouches once a second may be slow. */
const VOUCHED_MS = 3_000;
const PUT_AT_ONCE = 500;
const FIELDS = ['revision', 'epoch', 'as_of', 'counters'] as const;

/** The higher revision stays, even where it was written first; of one revision, the last epoch's, and then the last read. */
const PUT: RedisScript = {
  name: 'hindsightPutCounters',
  keys: 1,
  lua: `
    local have = redis.call('HMGET', KEYS[1], 'revision', 'epoch', 'as_of')
    local revision, epoch, as_of = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
    if have[1] then
      local had = { tonumber(have[1]), tonumber(have[2]), tonumber(have[3]) }
      if had[1] > revision then return 0 end
      if had[1] == revision and had[2] > epoch then return 0 end
      if had[1] == revision and had[2] == epoch and had[3] > as_of then return 0 end
    end
    redis.call('HSET', KEYS[1], 'revision', ARGV[1], 'epoch', ARGV[2], 'as_of', ARGV[3], 'counters', ARGV[4])
    redis.call('PEXPIREAT', KEYS[1], ARGV[5])
    return 1`,
};

const REMOVE: RedisScript = {
  name: 'hindsightRemoveCounters',
  keys: 1,
  lua: `
    if redis.call('HGET', KEYS[1], 'revision') ~= ARGV[1] then return 0 end
    return redis.call('DEL', KEYS[1])`,
};

/**
 * Epochs rise, also on a server that was put back: its clock is later than any epoch that it has forgotten.
 * The word names the time until which it is good. A server that was paused comes late to what was sent before, also by
 * connections that are closed by now; what was true then is not vouched for any more.
 */
const VOUCH: RedisScript = {
  name: 'hindsightVouchForCounters',
  keys: 3,
  lua: `
    local time = redis.call('TIME')
    local now = time[1] * 1000 + math.floor(time[2] / 1000)
    local info = redis.call('INFO', 'server') .. redis.call('INFO', 'replication')
    local server = (string.match(info, 'run_id:(%x+)') or '') .. (string.match(info, 'master_replid:(%x+)') or '')
    server = server .. ARGV[6]
    local have = redis.call('HMGET', KEYS[1], 'epoch', 'server')
    local epoch, known = tonumber(have[1] or '0'), tonumber(ARGV[1])
    if have[2] ~= server or ARGV[2] ~= server or known > epoch then
      epoch = math.max(epoch + 1, known + 1, now)
      redis.call('HSET', KEYS[1], 'epoch', string.format('%.0f', epoch), 'server', server)
    end
    local good = math.min(tonumber(ARGV[3]) - now, tonumber(ARGV[4]))
    if good > 0 then
      redis.call('SET', KEYS[2], string.format('%.0f', epoch), 'PX', string.format('%.0f', good))
      if ARGV[5] ~= '' then redis.call('SET', KEYS[3], ARGV[5], 'PX', string.format('%.0f', good)) end
    end
    return { string.format('%.0f', epoch), server, string.format('%.0f', now), good > 0 and 1 or 0 }`,
};

export class RedisCopy implements CounterCopy {
  readonly #redis: RedisStore;
  readonly #put: RunScripts;
  readonly #remove: RunScript;
  readonly #vouch: RunScript;
  readonly #vouchedMs: number;
  /** The server's time when it answered last, and this process's then. */
  #time = { server: 0, here: 0 };

  constructor(redis: RedisStore, vouchedMs = VOUCHED_MS) {
    this.#redis = redis;
    this.#vouchedMs = vouchedMs;
    this.#put = redis.scripts(PUT);
    this.#remove = redis.script(REMOVE);
    this.#vouch = redis.script(VOUCH);
  }

  async find(record: RecordName): Promise<FoundCopy> {
    try {
      const { epoch, countedTo, months } = await this.#read([record]);
      return { epoch, countedTo, month: months[0] };
    } catch {
      return { epoch: undefined, countedTo: undefined, month: undefined };
    }
  }

  async findMany(records: readonly RecordName[]): Promise<(RevisedMonth | undefined)[]> {
    return (await this.#read(records)).months;
  }

  async put(months: readonly RevisedMonth[], epoch: number): Promise<void> {
    const runs = months.map((month): [string[], (string | number)[]] => {
      const { revision, asOf } = month;
      return [
        [keyOf(month)],
        [revision, epoch, asOf, JSON.stringify(countersOf(month)), expiryOf(month.month)],
      ];
    });
    for (const part of partsOf(runs, PUT_AT_ONCE)) await this.#put(part);
  }

  async remove(record: RecordName, revision: number): Promise<void> {
    await this.#remove([keyOf(record)], [revision]);
  }

  async vouch(known: Epoch | undefined, countedTo?: number): Promise<Epoch> {
    const first = await this.#say(known, countedTo);
    if (first.taken) return first.epoch;
    // The server's time was not known, or is another one's.
    const second = await this.#say(first.epoch, countedTo);
    if (!second.taken) throw new Error('Redis came too late to the word for the usage counters');
    return second.epoch;
  }

  async #say(
    known: Epoch | undefined,
    countedTo: number | string = '',
  ): Promise<{ epoch: Epoch; taken: boolean }> {
    const { number, server } = known ?? { number: 0, server: '' };
    // Never later than the server's own time: an answer is of the past.
    const now = this.#time.server + performance.now() - this.#time.here;
    const identity = await this.#redis.identity();
    const args = [number, server, Math.floor(now + this.#vouchedMs), this.#vouchedMs, countedTo, identity];
    const answer = (await this.#vouch([EPOCH, VOUCHED, COUNTED], args)) as [string, string, string, number];
    this.#time = { server: Number(answer[2]), here: performance.now() };
    return { epoch: { number: Number(answer[0]), server: answer[1] }, taken: answer[3] === 1 };
  }

  #read(records: readonly RecordName[]) {
    return this.#redis.run(async (client) => {
      // These first: what they say about the records holds for those that are read later.
      const [vouched, counted] = await client.mget(VOUCHED, COUNTED);
      const hashes = await Promise.all(records.map((record) => client.hmget(keyOf(record), ...FIELDS)));
      const epoch = typeof vouched === 'string' ? Number(vouched) : undefined;
      const countedTo = typeof counted === 'string' ? Number(counted) : undefined;
      return { epoch, countedTo, months: records.map((record, i) => parse(record, hashes[i], epoch)) };
    });
  }
}

/** In a cluster all of a project is in one slot. */
function keyOf({ project, month }: RecordName): string {
  return `hindsight:usage:1:{${project}}:${month}`;
}

/** Units by the name that readers of Redis know: those that gateways have taken, spent or not. */
function countersOf({ requests, orders, taken, days, statuses, keys }: RevisedMonth) {
  return { requests, orders, units: taken, days, ...(statuses && { statuses }), ...(keys && { keys }) };
}

function parse(record: RecordName, hash: unknown, present: number | undefined): RevisedMonth | undefined {
  const [revision, epoch, asOf, counters] = hash as (string | null)[];
  if (present === undefined || epoch !== String(present) || typeof counters !== 'string') return undefined;
  try {
    const { units: taken, ...rest } = JSON.parse(counters) as ReturnType<typeof countersOf>;
    return { ...record, ...rest, taken, revision: Number(revision), asOf: Number(asOf) };
  } catch {
    // Somebody else has written it: it is read from the ledger, and stored again.
    return undefined;
  }
}
