/** Asks the processes of different networks, and tells their answers apart. */
import { UNITS_HEADER } from '@hindsight/http/units.ts';
import { errorBody, type ErrorBody } from '@hindsight/kernel/errors.ts';
import { unreachable } from './forward.ts';
import { gather, type GatheredAnswer } from './gather.ts';
import type { Upstream, UpstreamRequest } from './upstream.ts';

export interface NetworkGroup {
  readonly upstream: Upstream;
  /** The names; undefined for all that no other group has. */
  readonly networks?: readonly string[];
}

/** All groups of a service, and what is known of their networks. */
export interface OverNetworks {
  readonly groups: readonly NetworkGroup[];
  /** All that a group names. */
  readonly named: ReadonlySet<string>;
  readonly withinMs: number;
  /** The lasting facts last received about each network, and the group that sent them. */
  readonly seen: Map<string, { readonly group: NetworkGroup; readonly lasting: Entry }>;
}

/** A network's part of an answer. */
export interface Entry {
  readonly network_name: string;
  readonly [field: string]: unknown;
}

/** The answer of a group, or the reason why there is none. */
export interface Outcome {
  readonly group: NetworkGroup;
  readonly answer?: GatheredAnswer | undefined;
  readonly cause?: Error;
  readonly error?: ErrorBody;
}

/** Headers that are not passed on: answers are read here. */
const NOT_PASSED = new Set(['accept-encoding', 'if-none-match', 'content-length']);

export function headersOf({ headers }: UpstreamRequest): string[] {
  return headers.flatMap((name, i) => (i % 2 === 1 || NOT_PASSED.has(name) ? [] : [name, headers[i + 1]!]));
}

/** Asks a group. @throws the reason of `left` */
export async function ask(
  { withinMs }: Pick<OverNetworks, 'withinMs'>,
  group: NetworkGroup,
  request: UpstreamRequest,
  left: AbortSignal,
): Promise<Outcome> {
  const late = AbortSignal.timeout(withinMs);
  const asked = { ...request, headers: headersOf(request) };
  try {
    const answer = await gather(group.upstream, asked, AbortSignal.any([left, late]));
    return answer.statusCode === 200 ? { group, answer } : { group, answer, error: errorIn(answer) };
  } catch (error) {
    left.throwIfAborted();
    if (late.aborted)
      return {
        group,
        error: errorBody('deadline_exceeded', `The network did not answer within ${withinMs} ms.`),
      };
    return { group, cause: error as Error, error: unreachable(error as Error).body };
  }
}

function errorIn({ body }: GatheredAnswer): ErrorBody {
  const { message, error, statusCode, code } = (parse(body) ?? {}) as Partial<ErrorBody>;
  if (typeof message !== 'string' || typeof error !== 'string' || !statusCode || !code) return notReadable();
  return { message, error, statusCode, code };
}

export function notReadable(): ErrorBody {
  return errorBody('service_unavailable', 'The service gave no answer that can be read.');
}

/** Reads a body; undefined where it is no JSON. */
export function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/** The entries of networks in an answer; undefined where there are none. */
export function listIn({ body }: GatheredAnswer, field: string): readonly Entry[] | undefined {
  const entries = (parse(body) as Readonly<Record<string, unknown>> | undefined)?.[field];
  return Array.isArray(entries) ? (entries as Entry[]) : undefined;
}

/**
 * One group's answer that stands for all: the question is wrong, or no group can answer it.
 * @throws the first group's failure if it sent no answer at all
 */
export function wholeAnswer(outcomes: readonly Outcome[]): GatheredAnswer | undefined {
  const wrong = outcomes.find(({ error }) => error && error.statusCode < 500 && error.statusCode !== 404);
  if (wrong) return wrong.answer;
  const [first] = outcomes;
  if (first === undefined || outcomes.some(({ error }) => error === undefined)) return undefined;
  if (first.answer === undefined) throw first.cause ?? new Error(first.error?.message);
  return first.answer;
}

export function answerOf(record: unknown, cacheControl: string, units: number): GatheredAnswer {
  const body = Buffer.from(JSON.stringify(record));
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(body.length),
    'cache-control': cacheControl,
    [UNITS_HEADER]: String(units),
  };
  return { statusCode: 200, headers, body };
}
