/** Calls views many times, at one block or at several, within bounds of gas and size. */
import { decodeValues, MalformedEncoding } from '@hindsight/chain/abi/decode.ts';
import { headWords, isDynamic } from '@hindsight/chain/abi/types.ts';
import type { CodeOf } from '@hindsight/kernel/error-codes.ts';
import { ApiError, errorBody } from '@hindsight/kernel/errors.ts';
import { partsOf } from '@hindsight/kernel/parts.ts';
import { Turns } from '@hindsight/kernel/turns.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import type { CallItem, CallResult } from '@hindsight/chain/state/multicall/multicall.ts';
import type { ChainReader } from '@hindsight/chain/state/reader.ts';
import { READ_GAS } from '@hindsight/chain/tokens/token-facts.ts';
import { toAnswer, type CallRow } from '../domain/call/call.ts';
import { readRevert } from '../domain/call/revert.ts';
import type { AbiFunction } from '../domain/call/signature.ts';
import {
  GAS_AGAIN,
  ranOut,
  settleDirectly,
  type Outcome,
  type PlacedCall,
  type TriedCall,
} from './failed-calls.ts';
import { toPublicError } from './public-error.ts';

/** Most rows that are repeated with more gas; they cost a node more than all others of a request. */
const MAX_GAS_AGAIN = 16;
/** Room for a short reason in addition to the expected bytes. */
const LEAST_BYTES = 160;
/** Bytes requested at first of an answer of unknown length. */
const FIRST_BYTES = 1_024;
/** The most that a multicall returns of one call. */
const MAX_BYTES = 16_383;
/** Of a revert this much is kept. */
const MAX_REVERT_BYTES = 4_096;
/** Most bytes of the second round, over all rows. */
const MAX_BYTES_AGAIN = 1_048_576;
/** Blocks that are asked at once about calls that share nothing. */
const BLOCKS_AT_ONCE = 16;

export interface ViewCalls {
  readonly target: string;
  readonly called: AbiFunction;
  /** The data of each row's call, and its block. */
  readonly rows: readonly { readonly block: Block; readonly data: string }[];
}

/**
 * Calls the view. Rows with a longer answer than expected, or in need of more gas, are repeated; those that
 * then fail, as a plain `eth_call`.
 * @throws {ApiError} 502, 503 or 504 if no row could be sent
 */
export async function callView(
  reader: ChainReader,
  view: ViewCalls,
  signal: AbortSignal,
): Promise<readonly CallRow[]> {
  const [rows] = await callViews(reader, [view], signal);
  if (rows instanceof ApiError) throw rows;
  return rows!;
}

/** Calls several views as `callView` does, in shared requests. @returns for each its rows, or why none could be sent */
export async function callViews(
  reader: ChainReader,
  views: readonly ViewCalls[],
  signal: AbortSignal,
): Promise<readonly (readonly CallRow[] | ApiError)[]> {
  const calls = views.map(({ target, called, rows }) => {
    const maxBytes = firstBytes(called);
    return rows.map(({ block, data }): PlacedCall => {
      return { block, item: { kind: 'call', target, data, gas: READ_GAS, maxBytes } };
    });
  });
  const first = await askEach(reader, calls, signal);
  const second = calls.map((own, view) => {
    const itemFor = secondRound();
    return own.map(({ block, item }, i): PlacedCall | undefined => {
      const repeated = itemFor(item, first[view]![i]);
      return repeated && { block, item: repeated };
    });
  });
  const asked = second.map((own) => own.filter((call) => call !== undefined));
  const more = (await askEach(reader, asked, signal)).map((own) => own.values());
  const tried = first.map((own, view) =>
    own.map((outcome, i): TriedCall => {
      const call = second[view]![i];
      return call === undefined
        ? { ...calls[view]![i]!, outcome }
        : { ...call, outcome: more[view]!.next().value ?? outcome };
    }),
  );
  const ask = (some: readonly PlacedCall[], gas: number): Promise<readonly CallResult[]> =>
    askDirectly(reader, some, gas, signal);
  const unsent = tried.map(errorOfAll);
  const settled = await settleDirectly(
    tried.filter((_, view) => unsent[view] === undefined),
    ask,
    signal,
  );
  const sent = settled.values();
  const rows: (readonly CallRow[] | ApiError)[] = [];
  for (const [view, { called }] of views.entries())
    rows.push(unsent[view] ?? (await toRows(called, sent.next().value!)));
  return rows;
}

/** The error of a view none of whose rows could be sent. */
function errorOfAll(tried: readonly TriedCall[]): ApiError | undefined {
  const errors = tried.flatMap(({ outcome }) => ('error' in outcome ? [outcome.error] : []));
  return errors.length === 0 || errors.length < tried.length ? undefined : toPublicError(errors[0]);
}

/** Asks calls as plain `eth_call`s, those of a block in one request. */
async function askDirectly(
  reader: ChainReader,
  calls: readonly PlacedCall[],
  gas: number,
  signal: AbortSignal,
): Promise<readonly CallResult[]> {
  const results = new Map<PlacedCall, CallResult>();
  const byBlock = [...Map.groupBy(calls, ({ block }) => block)];
  for (const part of partsOf(byBlock, BLOCKS_AT_ONCE)) {
    const asked = part.map(async ([block, some]) => {
      const items = some.map(({ item }) => item);
      const answers = await reader.callDirectly(block, items, signal, gas);
      some.forEach((call, i) => results.set(call, answers[i] as CallResult));
    });
    await Promise.all(asked);
  }
  return calls.map((call) => results.get(call)!);
}

/** Asks the calls of several views in shared requests. */
async function askEach(
  reader: ChainReader,
  views: readonly (readonly PlacedCall[])[],
  signal: AbortSignal,
): Promise<readonly (readonly Outcome[])[]> {
  const calls = views.flat().map(({ block, item }) => ({ block, items: [item] }));
  const outcomes = (calls.length > 0 ? await reader.readEach(calls, signal) : []).values();
  return views.map((own) =>
    own.map((): Outcome => {
      const outcome = outcomes.next().value!;
      return 'error' in outcome ? outcome : (outcome.results[0] as CallResult);
    }),
  );
}

function firstBytes({ outputs }: AbiFunction): number {
  if (outputs.some(({ type }) => isDynamic(type))) return FIRST_BYTES;
  return Math.max(LEAST_BYTES, 32 * headWords(outputs));
}

/** Rows to repeat, and their bounds. */
function secondRound() {
  let gasLeft = MAX_GAS_AGAIN;
  let bytesLeft = MAX_BYTES_AGAIN;
  return (item: CallItem, outcome: Outcome | undefined): CallItem | undefined => {
    if (outcome === undefined || 'error' in outcome) return undefined;
    const { size, data } = outcome;
    if (ranOut(outcome)) {
      if (gasLeft === 0) return undefined;
      gasLeft -= 1;
      return { ...item, gas: GAS_AGAIN, orLess: true };
    }
    const most = outcome.status === 'ok' ? MAX_BYTES : MAX_REVERT_BYTES;
    if (size <= data.length || (outcome.status === 'ok' && size > most)) return undefined;
    const maxBytes = Math.min(size, most);
    if (maxBytes <= item.maxBytes || maxBytes > bytesLeft) return undefined;
    bytesLeft -= maxBytes;
    return { ...item, maxBytes };
  };
}

async function toRows(called: AbiFunction, tried: readonly TriedCall[]): Promise<readonly CallRow[]> {
  const rows: CallRow[] = [];
  const turns = new Turns();
  for (const each of tried) {
    rows.push(toRow(called, each));
    await turns.next();
  }
  return rows;
}

function toRow({ outputs }: AbiFunction, { item: { gas }, outcome }: TriedCall): CallRow {
  if ('error' in outcome) return { error: toPublicError(outcome.error).body };
  const { status, size, data } = outcome;
  if (status !== 'ok') {
    if (!ranOut(outcome)) return { reverted: readRevert(data) };
    const hint = gas < GAS_AGAIN ? '; among fewer rows it gets more' : '';
    return refused('call_too_costly', `the call used up its gas of ${gas.toLocaleString('en')}${hint}`);
  }
  if (size > data.length) return refused('call_answer_too_long', tooLong(size));
  try {
    const values = decodeValues(outputs, data).map(toAnswer);
    return outputs.length > 0 || size === 0 ? { values } : { values, data: `0x${data.toString('hex')}` };
  } catch (error) {
    if (!(error instanceof MalformedEncoding)) throw error;
    return refused(
      'call_answer_mismatch',
      `the contract's answer of ${size} bytes does not have the declared types: ${error.message}`,
    );
  }
}

function tooLong(size: number): string {
  const most = MAX_BYTES.toLocaleString('en');
  if (size > MAX_BYTES)
    return `the contract answers with ${size.toLocaleString('en')} bytes; at most ${most} are read`;
  return 'the answers of all rows together are too long; ask fewer rows at once';
}

function refused(code: CodeOf<422>, message: string): CallRow {
  return { error: errorBody(code, message) };
}
