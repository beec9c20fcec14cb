import type { components } from '../openapi.ts';
import type { Transport } from '../transport.ts';
import { whenParams, type When } from '../when.ts';
import { bound, type PointsQuestion } from './series.ts';

/** The results of a view, one for each list of arguments. */
export type CallResults = components['schemas']['CallResults'];

/** A view of a contract, its arguments, and a block. */
export interface CallQuestion extends When {
  /** The contract: an address or an ENS name. */
  readonly target: string;
  /** In Solidity's syntax: `balanceOf(address) returns (uint256)`. */
  readonly function: string;
  /** A list of arguments for each call, up to 1,000; `bigint` is allowed for numbers. Default: one call without any */
  readonly args?: readonly (readonly unknown[])[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Calls any view of any contract at a block. A row that reverts contains the reason. */
export function callView(transport: Transport, question: CallQuestion): Promise<CallResults> {
  const { target, args = [[]], signal } = question;
  const body = { target, function: question.function, args, ...whenParams(question) };
  return transport.json<CallResults>({
    method: 'POST',
    path: transport.pathTo('callView'),
    body: jsonOf(body),
    signal,
  });
}

/** The results of one call over time. */
export type CallSeries = components['schemas']['CallSeries'];

/** A view of a contract, its arguments, from when to when, and how often. */
export interface CallSeriesQuestion extends Omit<CallQuestion, keyof When | 'args'>, PointsQuestion {
  /** The arguments of the call; `bigint` is allowed for numbers. Default: none */
  readonly args?: readonly unknown[] | undefined;
}

/** Calls a view at up to 1,000 points, each the last block at or before its moment: a share price over a year. */
export function callSeries(transport: Transport, question: CallSeriesQuestion): Promise<CallSeries> {
  const { target, args = [], from, to, step, points, signal } = question;
  const range = { from: bound(from), to: bound(to), step, points };
  return transport.json<CallSeries>({
    method: 'POST',
    path: transport.pathTo('getCallSeries'),
    body: jsonOf({ target, function: question.function, args, ...range }),
    signal,
  });
}

function jsonOf(body: object): { type: string; text: string } {
  const text = JSON.stringify(body, (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return { type: 'application/json', text };
}
