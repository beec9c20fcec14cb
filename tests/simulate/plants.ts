/** Planted faults. The checker must find each: one that never finds anything proves nothing. */
import type { EventLog } from '@hindsight/bus/log.ts';
import type { GatewayDeps } from '@hindsight/gateway/service.ts';
import type { ConfirmedMailer, PortalWork } from '@hindsight/portal/service.ts';
import type { openTokenIndex } from '@hindsight/tokens/service.ts';
import type { UsageStore } from '@hindsight/usage/ports.ts';
import type { ChainBlock } from './chain/blocks.ts';
import type { Random } from './machine/random.ts';

/** A fault in one of the ports. */
export interface Plant {
  readonly usage?: (usage: UsageStore, random: Random) => UsageStore;
  readonly log?: (log: EventLog, random: Random) => EventLog;
  /** The block in whose state a node answers. */
  readonly stateOf?: (block: ChainBlock, random: Random) => ChainBlock;
  /** The logs that a node answers. */
  readonly logs?: (logs: readonly object[], random: Random) => readonly object[];
  /** The list of tokens. */
  readonly tokens?: (index: TokenIndex, random: Random) => TokenIndex;
  /** The balance service, as a gateway reaches it. */
  readonly balance?: (upstream: Upstream) => Upstream;
  /** The store of projects, as a gateway asks it. */
  readonly projects?: (lookup: Lookup, random: Random) => Lookup;
  /** The mail server, as a portal asks it. */
  readonly mailer?: (mailer: ConfirmedMailer, random: Random) => ConfirmedMailer;
  readonly portal?: (work: PortalWork) => PortalWork;
}

type Lookup = GatewayDeps['projects'];

type Upstream = GatewayDeps['upstreams']['balance'];
type TokenIndex = Awaited<ReturnType<typeof openTokenIndex>>;

/** Share of calls with the fault: rare enough that the services notice nothing. */
const SHARE = 0.2;

export const PLANTS: Readonly<Record<string, Plant>> = {
  // Breaks the promise that acknowledged usage is counted.
  'lost-record': {
    log: (log, random) => ({
      ...log,
      append: (records) =>
        log.append(records.filter(({ topic }) => topic !== 'usage.recorded' || !random.chance(SHARE))),
    }),
  },
  // Breaks the promise that an owner is alerted at each threshold.
  'lost-alert': {
    log: (log) => ({
      ...log,
      append: (records) => log.append(records.filter(({ topic }) => topic !== 'usage.threshold')),
    }),
  },
  // Breaks the promise that each order is published.
  'lost-order': {
    log: (log, random) => ({
      ...log,
      append: (records) =>
        log.append(records.filter(({ topic }) => topic !== 'orders.received' || !random.chance(SHARE))),
    }),
  },
  // Breaks the promise that each order is published under one number.
  'order-twice': {
    log: (log, random) => ({
      ...log,
      append: (records) =>
        log.append(
          records.flatMap((record) =>
            record.topic === 'orders.received' && random.chance(SHARE)
              ? [record, { ...record, headers: { ...record.headers, ce_sequence: '999999999' } }]
              : [record],
          ),
        ),
    }),
  },
  // Breaks the promise that usage delivered twice is counted once.
  'doubled-count': {
    usage: (usage, random) => ({
      ...usage,
      async apply(records) {
        if (random.chance(SHARE))
          await usage.apply(
            records.map((record) => ({
              ...record,
              producers: record.producers.map((one) => ({ ...one, producer: random.uuid() })),
            })),
          );
        return usage.apply(records);
      },
    }),
  },
  // Breaks the promise that each unit is leased once.
  'over-limit': {
    usage: (usage) => ({
      ...usage,
      async take(request) {
        const lease = await usage.take(request);
        return lease.unclaimed === 0 ? { ...lease, units: lease.units + 1 } : lease;
      },
    }),
  },
  // Breaks the promise that an amount is that of the block that is named.
  'other-block': {
    stateOf: (block, random) => (random.chance(SHARE) ? (block.parent ?? block) : block),
  },
  // Breaks the promise that a list leaves nothing out where it says so.
  'short-list': {
    logs: (logs, random) => (random.chance(SHARE) ? [] : logs),
  },
  // Breaks the promise that the list of tokens has every one, once.
  'lost-token': {
    tokens: (index, random) => ({
      ...index,
      append: (base, range) =>
        index.append(base, { ...range, tokens: range.tokens.filter(() => !random.chance(SHARE)) }),
    }),
  },
  // Breaks the promise that an answer that may change is not kept.
  'stale-copy': { balance: keepAnswers },
  // Breaks the promise that an alert is emailed.
  'lost-mail': {
    mailer: (mailer, random) => ({
      ...mailer,
      send: async (mail) => (random.chance(SHARE) ? undefined : mailer.send(mail)),
    }),
  },
  // Breaks the promise that it is emailed once.
  'mailed-twice': {
    mailer: (mailer) => ({
      ...mailer,
      async send(mail) {
        await mailer.send(mail);
        await mailer.send(mail);
      },
    }),
  },
  // Breaks the promise that a key which has ended is refused.
  'kept-key': { projects: keepKeys },
  // Breaks the promise that a key works until it ends.
  'lost-key': {
    projects: (lookup, random) => ({
      findByKey: async (key) => (random.chance(SHARE) ? null : lookup.findByKey(key)),
      noteKeyUses: (uses) => lookup.noteKeyUses(uses),
    }),
  },
  // Breaks the promise that a session ends with all others.
  'kept-session': { portal: keepSessions },
};

/** Finds each key that was ever found. */
function keepKeys(lookup: Lookup): Lookup {
  const kept = new Map<string, Awaited<ReturnType<Lookup['findByKey']>>>();
  return {
    noteKeyUses: (uses) => lookup.noteKeyUses(uses),
    async findByKey(key) {
      const found = kept.get(key) ?? (await lookup.findByKey(key));
      kept.set(key, found);
      return found;
    },
  };
}

/** Recognises each session that was ever recognised. */
function keepSessions(work: PortalWork): PortalWork {
  const { sessions } = work.accounts.context;
  const kept = new Map<string | undefined, Awaited<ReturnType<typeof sessions.current>>>();
  const current: typeof sessions.current = async (headers) => {
    const found = kept.get(headers.cookie) ?? (await sessions.current(headers));
    kept.set(headers.cookie, found);
    return found;
  };
  const context = { ...work.accounts.context, sessions: { current } };
  return { ...work, accounts: { ...work.accounts, context } };
}

/** Keeps the first answer to each question, and gives it again. */
function keepAnswers(upstream: Upstream): Upstream {
  const kept = new Map<string, { head: Parameters<Sink['head']>; parts: Buffer[] }>();
  return {
    ...upstream,
    dispatch(request, sink) {
      const known = kept.get(request.path);
      if (known) {
        setImmediate(() => {
          sink.head(...known.head);
          for (const part of known.parts) sink.data(part);
          sink.end();
        });
        return { resume: () => undefined, cancel: () => undefined };
      }
      const parts: Buffer[] = [];
      let head: Parameters<Sink['head']> | undefined;
      return upstream.dispatch(request, {
        head: (...given) => sink.head(...(head = given)),
        data: (part) => (parts.push(part), sink.data(part)),
        end() {
          if (head?.[0] === 200) kept.set(request.path, { head, parts });
          sink.end();
        },
        fail: (error) => sink.fail(error),
      });
    },
  };
}

type Sink = Parameters<Upstream['dispatch']>[1];
