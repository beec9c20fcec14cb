import type { CollectionIndexes } from '@hindsight/stores/mongodb-indexes.ts';
import type { MongoStore } from '@hindsight/stores/mongodb.ts';
import { ifDuplicate, isWritten } from '@hindsight/stores/mongodb-errors.ts';
import { loginsOf, type Account } from '../domain/account.ts';
import {
  MAX_WAITING,
  type AccountStore,
  type AccountStores,
  type ClaimStore,
  type Session,
  type SessionStore,
  type TallyStore,
  type Ticket,
  type TicketKind,
  type TicketStore,
} from '../ports.ts';

const ACCOUNTS = 'accounts';
const SESSIONS = 'account_sessions';
const TICKETS = 'account_tickets';
const TALLIES = 'account_tallies';
const CLAIMS = 'account_claims';

/** Sessions that are ended per write. */
const MAX_ENDED = 1_000;

export const ACCOUNT_INDEXES: readonly CollectionIndexes[] = [
  { collection: ACCOUNTS, indexes: [{ name: 'logins', key: { logins: 1 }, unique: true }] },
  {
    collection: SESSIONS,
    indexes: [
      { name: 'user', key: { userId: 1, signedInAt: -1 } },
      { name: 'expiry', key: { expiresAt: 1 } },
    ],
  },
  {
    collection: TICKETS,
    indexes: [
      { name: 'owner', key: { kind: 1, owner: 1 } },
      { name: 'expiry', key: { expiresAt: 1 } },
    ],
  },
  { collection: TALLIES, indexes: [{ name: 'expiry', key: { expiresAt: 1 } }] },
  { collection: CLAIMS, indexes: [{ name: 'expiry', key: { expiresAt: 1 } }] },
];

type AccountDocument = Omit<Account, 'id'> & { readonly _id: string; readonly logins: readonly string[] };
type SessionDocument = Omit<Session, 'hash'> & { readonly _id: string };
type TicketDocument = Ticket & { readonly _id: string };
interface ClaimDocument {
  readonly _id: string;
  readonly expiresAt: number;
}
interface TallyDocument {
  readonly _id: string;
  readonly count: number;
  readonly expiresAt: number;
}

/** Accounts in MongoDB, by changes of single documents; its indexes are `ACCOUNT_INDEXES`. */
export function createMongodbAccountStores(store: MongoStore): AccountStores {
  return {
    accounts: accountsIn(store),
    sessions: sessionsIn(store),
    tickets: ticketsIn(store),
    tallies: talliesIn(store),
    claims: claimsIn(store),
    removeExpired: (now) =>
      store.run(async (db) => {
        for (const name of [SESSIONS, TICKETS, TALLIES, CLAIMS])
          await db.collection(name).deleteMany({ expiresAt: { $lte: now } });
      }),
    signOutAll: () =>
      store.run(async (db) => {
        for (const name of [SESSIONS, TICKETS]) await db.collection(name).deleteMany({});
      }),
  };
}

function accountsIn(store: MongoStore): AccountStore {
  const accounts = store.db.collection<AccountDocument>(ACCOUNTS);
  return {
    insert: ({ id, ...fields }) =>
      store.run(async () => {
        const write = accounts.insertOne({ _id: id, ...fields, logins: loginsOf({ id, ...fields }) });
        return (await isWritten(write)) ? 'inserted' : 'taken';
      }),
    find: (id) => store.run(async () => toAccountOrNull(await accounts.findOne({ _id: id }))),
    findByLogin: (login) => store.run(async () => toAccountOrNull(await accounts.findOne({ logins: login }))),
    list: (after, limit) =>
      store.run(async () => {
        const found = accounts.find({ _id: { $gt: after } }).sort({ _id: 1 });
        return (await found.limit(limit).toArray()).map(toAccount);
      }),
    replace: ({ id, version, ...fields }) =>
      store.run(async () => {
        const write = accounts.updateOne(
          { _id: id, version },
          { $set: { ...fields, logins: loginsOf({ id, ...fields }) }, $inc: { version: 1 } },
        );
        const written = await ifDuplicate(write, () => null);
        if (written === null) return 'taken';
        return written.matchedCount === 1 ? 'replaced' : 'conflict';
      }),
    remove: (id) => store.run(async () => void (await accounts.deleteOne({ _id: id }))),
  };
}

function toAccountOrNull(document: AccountDocument | null): Account | null {
  return document === null ? null : toAccount(document);
}

function toAccount(document: AccountDocument): Account {
  const { _id: id, logins: _logins, ...fields } = document;
  return { id, ...fields };
}

function sessionsIn(store: MongoStore): SessionStore {
  const sessions = store.db.collection<SessionDocument>(SESSIONS);
  const toSession = ({ _id: hash, ...fields }: SessionDocument): Session => ({ hash, ...fields });
  return {
    insert: ({ hash, ...fields }) =>
      store.run(async () => void (await sessions.insertOne({ _id: hash, ...fields }))),
    find: (hash) =>
      store.run(async () => {
        const document = await sessions.findOne({ _id: hash });
        return document === null ? null : toSession(document);
      }),
    list: (userId, limit) =>
      store.run(async () => {
        const found = sessions.find({ userId }).sort({ signedInAt: -1 }).limit(limit);
        return (await found.toArray()).map(toSession);
      }),
    seen: (hash, at) =>
      store.run(async () => void (await sessions.updateOne({ _id: hash }, { $set: { seenAt: at } }))),
    remove: (hash) => store.run(async () => void (await sessions.deleteOne({ _id: hash }))),
    removeOne: (userId, id) => store.run(async () => void (await sessions.deleteOne({ userId, id }))),
    removeAll: (userId) => store.run(async () => void (await sessions.deleteMany({ userId }))),
    keepLatest: (userId, count) =>
      store.run(async () => {
        const before = sessions.find({ userId }, { projection: { _id: 1 } }).sort({ signedInAt: -1 });
        const ended = (await before.skip(count).limit(MAX_ENDED).toArray()).map(({ _id }) => _id);
        if (ended.length > 0) await sessions.deleteMany({ _id: { $in: ended } });
      }),
  };
}

function ticketsIn(store: MongoStore): TicketStore {
  const tickets = store.db.collection<TicketDocument>(TICKETS);
  const idOf = (kind: string, hash: string): string => `${kind}:${hash}`;
  const toTicket = ({ _id, ...ticket }: TicketDocument): Ticket => ticket;
  const living = (kind: string, hash: string, now: number) => ({
    _id: idOf(kind, hash),
    expiresAt: { $gt: now },
  });
  const ofOwner = (kind: TicketKind, owner: string, now: number, limit: number): Promise<Ticket[]> =>
    store.run(async () => {
      const found = tickets.find({ kind, owner, expiresAt: { $gt: now } }).sort({ expiresAt: -1 });
      return (await found.limit(limit).toArray()).map(toTicket);
    });
  return {
    put: (ticket) =>
      store.run(async () => {
        await tickets.insertOne({ _id: idOf(ticket.kind, ticket.hash), ...ticket });
      }),
    look: (...which) =>
      store.run(async () => {
        const found = await tickets.findOne(living(...which));
        return found && toTicket(found);
      }),
    latest: async (kind, owner, now) => (await ofOwner(kind, owner, now, 1))[0] ?? null,
    waiting: (kind, owner, now) => ofOwner(kind, owner, now, MAX_WAITING),
    take: (...which) =>
      store.run(async () => {
        const taken = await tickets.findOneAndDelete(living(...which));
        return taken && toTicket(taken);
      }),
    drop: (kind, owner) => store.run(async () => void (await tickets.deleteMany({ kind, owner }))),
  };
}

function talliesIn(store: MongoStore): TallyStore {
  const tallies = store.db.collection<TallyDocument>(TALLIES);
  const add = (key: string, by: number, endsAt: number): Promise<number> =>
    store.run(async () => {
      const after = await tallies.findOneAndUpdate(
        { _id: `${key}:${endsAt}` },
        { $inc: { count: by }, $setOnInsert: { expiresAt: endsAt } },
        { upsert: true, returnDocument: 'after' },
      );
      return after?.count ?? by;
    });
  return {
    // Of two concurrent inserts of one document, one is refused; by then it exists.
    add: (key, by, endsAt) => ifDuplicate(add(key, by, endsAt), () => add(key, by, endsAt)),
  };
}

function claimsIn(store: MongoStore): ClaimStore {
  const claims = store.db.collection<ClaimDocument>(CLAIMS);
  return {
    claim: (key, expiresAt) => store.run(() => isWritten(claims.insertOne({ _id: key, expiresAt }))),
    release: (key) => store.run(async () => void (await claims.deleteOne({ _id: key }))),
  };
}
