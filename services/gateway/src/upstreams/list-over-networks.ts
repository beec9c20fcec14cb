/** Merges lists, each with the entries of some networks. */
import { etagOf, isKnown } from '@hindsight/http/cacheable.ts';
import { errorBody } from '@hindsight/kernel/errors.ts';
import {
  answerOf,
  ask,
  listIn,
  notReadable,
  parse,
  wholeAnswer,
  type Entry,
  type NetworkGroup,
  type OverNetworks,
} from './ask-groups.ts';
import type { GatheredAnswer } from './gather.ts';
import type { UpstreamRequest } from './upstream.ts';

/** Facts about a network that do not change. */
const LASTING_FIELDS = ['network_name', 'chain_id', 'native_coin', 'finality'] as const;
/** Status pages ask for the networks, and must not wait for one that is unavailable. */
const NETWORKS_WITHIN_MS = 4_000;

/** Answers with the lists of all groups in one. @param list the field that has it @throws where no group answers */
export async function answerList(
  over: OverNetworks,
  request: UpstreamRequest,
  list: string,
  left: AbortSignal,
): Promise<GatheredAnswer> {
  const within =
    list === 'networks' ? { ...over, withinMs: Math.min(over.withinMs, NETWORKS_WITHIN_MS) } : over;
  // The answer to a HEAD is made like any other.
  const get = { ...request, method: 'GET' };
  const outcomes = await Promise.all(over.groups.map((group) => ask(within, group, get, left)));
  const whole = wholeAnswer(outcomes);
  if (whole) return whole;
  let record = {};
  const entries: Entry[] = [];
  for (const { group, answer, error, cause } of outcomes) {
    const read = error ? undefined : listIn(answer!, list);
    const fault = error ?? (read ? undefined : notReadable());
    if (read) record = { ...(parse(answer!.body) as object), ...record };
    const own = (read ?? []).filter(({ network_name: name }) => isOf(over, group, name));
    for (const entry of own) remember(over, group, entry);
    const missing = namesOf(over, group).filter((name) => !own.some((entry) => entry.network_name === name));
    // Nothing may be left out silently.
    if (fault && missing.length === 0) throw cause ?? new Error(fault.message);
    const why = fault ?? errorBody('unknown_network', 'The network is not served by its process.');
    entries.push(...own, ...missing.map((name) => ({ ...lastingOf(over, name, list), error: why })));
  }
  return validated(answerOf({ ...record, [list]: entries }, 'private, no-cache', 1), request);
}

/** The answer with its entity tag; 304 for a client that has it already. */
function validated(answer: GatheredAnswer, { headers }: UpstreamRequest): GatheredAnswer {
  const etag = etagOf(answer.body);
  const at = headers.findIndex((name, i) => i % 2 === 0 && name === 'if-none-match');
  const condition = at < 0 ? {} : { 'if-none-match': headers[at + 1] };
  const told = { 'cache-control': answer.headers['cache-control'], etag };
  if (isKnown({ headers: condition }, etag)) return { statusCode: 304, headers: told, body: Buffer.alloc(0) };
  return { ...answer, headers: { ...answer.headers, ...told } };
}

function isOf({ named }: OverNetworks, { networks }: NetworkGroup, name: string): boolean {
  return networks ? networks.includes(name) : !named.has(name);
}

/** The networks of a group; of one without names those that it has had. */
function namesOf({ seen }: OverNetworks, group: NetworkGroup): readonly string[] {
  return group.networks ?? [...seen].filter(([, one]) => one.group === group).map(([name]) => name);
}

function remember({ seen }: OverNetworks, group: NetworkGroup, entry: Entry): void {
  const before = seen.get(entry.network_name)?.lasting;
  const facts = LASTING_FIELDS.filter((field) => field in entry).map((field) => [field, entry[field]]);
  const lasting = { ...before, ...(Object.fromEntries(facts) as Entry) };
  seen.set(entry.network_name, { group, lasting });
}

/** Known facts about a network whose process does not answer. */
function lastingOf({ seen }: OverNetworks, name: string, list: string): Entry {
  const lasting = seen.get(name)?.lasting ?? { network_name: name };
  if (list === 'networks') return lasting;
  return { network_name: name, ...('chain_id' in lasting ? { chain_id: lasting.chain_id } : {}) };
}
