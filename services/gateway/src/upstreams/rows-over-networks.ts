/** Answers rows that each name their network: those of a group are one request to it. */
import { MAX_JSON_ROWS, MAX_JSON_VALUES, unitsOf } from '@hindsight/api/units.ts';
import { hasMoreValues } from '@hindsight/http/json-bodies.ts';
import { errorBody } from '@hindsight/kernel/errors.ts';
import {
  answerOf,
  ask,
  notReadable,
  parse,
  wholeAnswer,
  type NetworkGroup,
  type OverNetworks,
} from './ask-groups.ts';
import { gather, type GatheredAnswer } from './gather.ts';
import { notServed } from './own-answer.ts';
import type { UpstreamRequest } from './upstream.ts';

/** Answers the rows in their order. @throws where no group answers */
export async function answerRows(
  over: OverNetworks,
  request: UpstreamRequest,
  left: AbortSignal,
): Promise<GatheredAnswer> {
  const { groups, named } = over;
  const rows = rowsOf(request.body);
  const [first] = groups;
  // Any of them says what is wrong with the body.
  if (rows === undefined) return gather(first!.upstream, request, left);
  const others = groups.find(({ networks }) => networks === undefined);
  const groupOf = (row: unknown): NetworkGroup | undefined => {
    const network = networkOf(row);
    if (typeof network !== 'string') return first;
    return groups.find(({ networks }) => networks?.includes(network)) ?? others;
  };
  const byGroup = Map.groupBy(rows.keys(), (at) => groupOf(rows[at]));
  const answers: unknown[] = [];
  for (const at of byGroup.get(undefined) ?? [])
    answers[at] = { error: errorBody('unknown_network', notServed(String(networkOf(rows[at])), named)) };
  const asked = [...byGroup].filter((entry): entry is [NetworkGroup, number[]] => entry[0] !== undefined);
  const outcomes = await Promise.all(
    asked.map(([group, places]) => {
      const body = Buffer.from(JSON.stringify(places.map((at) => rows[at])));
      return ask(over, group, { ...request, body }, left);
    }),
  );
  const whole = wholeAnswer(outcomes);
  if (whole) return whole;
  for (const [i, { answer, error }] of outcomes.entries()) {
    const places = asked[i]![1];
    const read = error ? undefined : parse(answer!.body);
    const own = Array.isArray(read) && read.length === places.length ? (read as unknown[]) : undefined;
    for (const [j, at] of places.entries()) answers[at] = own?.[j] ?? { error: error ?? notReadable() };
  }
  return answerOf(answers, 'no-store', unitsOf(rows.length));
}

function networkOf(row: unknown): unknown {
  return (row as { network?: unknown } | null)?.network;
}

/** The rows of a body; undefined where it is no list of rows. */
function rowsOf(body: UpstreamRequest['body']): readonly unknown[] | undefined {
  if (!Buffer.isBuffer(body) || hasMoreValues(body, MAX_JSON_VALUES)) return undefined;
  const rows = parse(body);
  return Array.isArray(rows) && rows.length > 0 && rows.length <= MAX_JSON_ROWS ? rows : undefined;
}
