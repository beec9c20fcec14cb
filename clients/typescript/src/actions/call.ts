import type { components } from '../openapi.ts';
import type { Transport } from '../transport.ts';
import { whenParams, type When } from '../when.ts';

/** The results of a view, one for each list of arguments. */
export type CallResults = components['schemas']['CallResults'];

/** A view of a contract, its arguments, and a block. */
export interface CallQuestion extends When {
  /** The contract: an address or an ENS name. */
  readonly target: string;
  /** In Solidity's syntax: `balanceOf(address) returns (uint256)`. */
  readonly function: string;
  /** A list of arguments for each call, up to 1,000; `bigint` is allowed for numbers. Default: one call without any */
  readonly args?: readonly (readonly unknown[])[];
  readonly signal?: AbortSignal | undefined;
}

/** Calls any view of any contract at a block. A row that reverts contains the reason. */
export function callView(transport: Transport, question: CallQuestion): Promise<CallResults> {
  const { target, args = [[]], signal } = question;
  const body = { target, function: question.function, args, ...whenParams(question) };
  const text = JSON.stringify(body, (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return transport.json<CallResults>({
    method: 'POST',
    path: transport.pathTo('callView'),
    body: { type: 'application/json', text },
    signal,
  });
}
