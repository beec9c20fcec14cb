/**
 * The token index in MongoDB, without transactions over several documents.
 *
 * Changes are entries of a log, numbered without gaps; adding the entry with the next number is the one
 * atomic step, and of two concurrent attempts one fails. Everything else (tokens, positions in lists) is
 * derived from the log, in its order and always the same: the next indexer completes the work of a killed
 * one, and one that was paused can only repeat existing writes. Readers see everything up to the checkpoint.
 */
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import type { IndexLease } from '@hindsight/indexing/lease.ts';
import type { CollectionIndexes } from '@hindsight/stores/mongodb-indexes.ts';
import type { Db } from 'mongodb';
import type { Token, TokenNames, TokenType } from '../domain/token.ts';
import type { Checkpoint, NewToken } from '../ports.ts';

/** A listed token, by its lower-cased address. */
export interface TokenDocument extends TokenNames {
  readonly _id: string;
  /** Its position in the list, from 0, without gaps. */
  readonly ordinal: number;
  readonly address: string;
  readonly blockHeight: number;
  readonly type: TokenType;
  /** The time of a finalized block at which it is to be checked again; versions up to 0.2.0 wrote a height, which is due at once. */
  readonly lookAt: number | null;
  readonly looks: number;
  /** The log entry that wrote its names. */
  readonly entry: number;
}

/** A position in a list by type or prefix; `_id` is made by `positionId`. */
export interface PositionDocument {
  readonly _id: string;
  readonly ordinal: number;
  /** The log entry that it comes from. */
  readonly entry: number;
}

/** A contract that is not a token, by its lower-cased address. */
export interface OtherDocument {
  readonly _id: string;
}

/** A later look at a token, as stored in the log. */
export interface LoggedLook {
  readonly ordinal: number;
  /** As it was before. */
  readonly token: Token;
  readonly names: TokenNames;
  readonly lookAt: number | null;
}

/** A listed token to be put on the lists of the words in its name, as stored in the log. */
export interface LoggedWords {
  readonly ordinal: number;
  readonly token: Token;
}

/** An entry of the log; its content goes once it is covered by the checkpoint, its number stays. */
export interface LogDocument {
  readonly _id: number;
  readonly to: Checkpoint;
  /** The ordinal of the first of the tokens. */
  readonly first: number;
  readonly tokens: readonly NewToken[];
  readonly looks: readonly LoggedLook[];
  /** Entries of versions up to 0.2.0 have none. */
  readonly words?: readonly LoggedWords[];
}

/** The checkpoint; one document. That of versions up to 0.2.0 has no words, and they leave those of others as they are. */
export interface CheckpointDocument extends Omit<Checkpoint, 'words'> {
  readonly _id: 'checkpoint';
  readonly words?: number;
}

/** The lease; one document of the same collection. */
export interface LeaseDocument extends IndexLease {
  readonly _id: 'lease';
}

/** The network of the list; a third document of that collection. */
export interface NetworkDocument {
  readonly _id: 'network';
  readonly name: string;
  readonly chainId: number;
}

const STATE = 'token_state';

/**
 * The collections of a network, by its name. Those of mainnet have the released names, without the network, because the
 * first releases had no other; `token_places` is the released name of the positions.
 */
export function collectionsOf(network: string) {
  const suffix = network === ETH_MAINNET.name ? '' : `.${network}`;
  const names = {
    tokens: `tokens${suffix}`,
    positions: `token_places${suffix}`,
    others: `token_others${suffix}`,
    log: `token_log${suffix}`,
    state: `${STATE}${suffix}`,
  };
  return {
    names,
    tokens: (db: Db) => db.collection<TokenDocument>(names.tokens),
    positions: (db: Db) => db.collection<PositionDocument>(names.positions),
    others: (db: Db) => db.collection<OtherDocument>(names.others),
    log: (db: Db) => db.collection<LogDocument>(names.log),
    checkpoint: (db: Db) => db.collection<CheckpointDocument>(names.state),
    lease: (db: Db) => db.collection<LeaseDocument>(names.state),
    network: (db: Db) => db.collection<NetworkDocument>(names.state),
  };
}

/** The collections of one network's list. */
export type TokenCollections = ReturnType<typeof collectionsOf>;

/** The network of a collection with a checkpoint, by the collection's name; null for any other collection. */
export function networkOf(collection: string): string | null {
  if (collection === STATE) return ETH_MAINNET.name;
  return collection.startsWith(`${STATE}.`) ? collection.slice(STATE.length + 1) : null;
}

/** The indexes of the queries, in addition to each collection's on `_id`. */
export function indexesOf({ names }: TokenCollections): readonly CollectionIndexes[] {
  return [
    {
      collection: names.tokens,
      indexes: [
        { name: 'ordinal', key: { ordinal: 1 }, unique: true },
        { name: 'look', key: { lookAt: 1, ordinal: 1 } },
      ],
    },
  ];
}

const DIGITS = 10;

/** The id of the n-th position of a list: sorted as text, a list's positions are in order. */
export function positionId(list: string, n: number): string {
  return `${list}\t${String(n).padStart(DIGITS, '0')}`;
}

/** The bounds of all of a list's ids. */
export function positionsOf(list: string): { readonly $gte: string; readonly $lt: string } {
  // The character after 9 is the colon.
  return { $gte: `${list}\t0`, $lt: `${list}\t:` };
}

export function positionOf(id: string): number {
  return Number(id.slice(-DIGITS));
}

export function toToken({ address, blockHeight, type, name, symbol, decimals }: TokenDocument): Token {
  return { address, blockHeight, type, name, symbol, decimals };
}

export function toCheckpoint(document: Omit<CheckpointDocument, '_id'>): Checkpoint {
  const { from, number, hash, count, version, words = 0 } = document;
  return { from, number, hash, count, version, words };
}
