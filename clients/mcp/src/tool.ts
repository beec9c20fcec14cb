import type { Client, Question } from '@hindsight/client';
import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import type { Fault } from './faults.ts';

export interface Api {
  readonly client: Pick<Client, 'request' | 'holders' | 'value' | 'nativeCoin' | 'network' | 'on'>;
  /** Public address of the API, without a slash at the end; sources are below it. */
  readonly url: string;
  /** Aborted when the caller no longer waits. */
  readonly signal: AbortSignal;
}

/** One tool. Each but those of no network also takes `network`. */
export interface Tool<Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Shape;
  /** The fields of its answer; there may be more. */
  readonly output: z.ZodRawShape;
  /** @returns the answer, as JSON @throws {HindsightError} */
  run(api: Api, args: z.output<z.ZodObject<Shape>>): Promise<Readonly<Record<string, unknown>>>;
}

/** Infers the types of a tool's arguments from its input. */
export function defineTool<Shape extends z.ZodRawShape>(tool: Tool<Shape>): Tool<Shape> {
  return tool;
}

/** The call that continues a long answer. */
export interface NextCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** Fetches a path of the network: `/balance/single`. */
export function ask<T>(
  { client, signal }: Api,
  path: string,
  query: NonNullable<Question['query']>,
): Promise<T> {
  return client.request<T>({ path: `/v1/${client.network}${path}`, query, signal });
}

/** The longest that a burst limit is waited for, and how often. */
const LONGEST_WAIT_MS = 2_000;
const WAITS = 5;

/** As `ask`, for a tool of many questions: waits for its place in the burst limit. */
export async function askPatiently<T>(...question: Parameters<typeof ask>): Promise<T> {
  for (let waits = 0; ; waits++)
    try {
      return await ask<T>(...question);
    } catch (error) {
      const { status, retryAt } = error as Fault;
      const ms = (retryAt?.getTime() ?? Infinity) - Date.now();
      if (status !== 429 || ms > LONGEST_WAIT_MS || waits === WAITS) throw error;
      await sleep(Math.max(ms, 0), undefined, { signal: question[0].signal });
    }
}

/** Asks with a JSON body. */
export function post<T>({ client, signal }: Api, path: string, body: object): Promise<T> {
  return client.request<T>({
    method: 'POST',
    path: `/v1/${client.network}${path}`,
    body: { type: 'application/json', text: JSON.stringify(body) },
    signal,
  });
}
