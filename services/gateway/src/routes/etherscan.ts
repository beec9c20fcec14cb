import { CHAIN_IDS } from '@hindsight/api/chain-ids.ts';
import { ClientLeft, type ErrorBody } from '@hindsight/kernel/errors.ts';
import {
  answered,
  blockAt,
  blockOf,
  EtherscanError,
  notServed,
  readParams,
  readQuestion,
  refused,
  wordsOf,
  type Asked,
  type AtTime,
  type EtherscanAnswer,
} from '../domain/etherscan.ts';
import { COST_HEADER } from '../domain/headers.ts';
import { queryOf } from '../steps/request.ts';
import { sendWhole, type DirectExchange, type DirectRoute } from '../upstreams/direct-routes.ts';
import { OWN_URL, type Caller } from '../upstreams/own-api.ts';

/** The paths of both versions of Etherscan's API. */
export const ETHERSCAN_PATHS = ['/api', '/v2/api'] as const;

interface EtherscanDeps {
  /** Calls this gateway's own API on behalf of a caller. */
  readonly fetchFor: (caller: Caller) => typeof globalThis.fetch;
}

/** Names of networks by chain id, as text. */
type Names = Map<string, string>;
/** A network's name, in place of its chain's id. */
const NAME = /^[a-z][a-z0-9-]{0,39}$/;
/** Headers that are passed on from the answer to the last question. */
const PASSED = ['ratelimit', 'ratelimit-policy', 'retry-after'] as const;

/**
 * `GET /api`: four actions of Etherscan's API, so that a script changes only its address and its key. Each is a request to
 * the public API with the caller's key, limited and counted like any other. Refusals are 200 with `NOTOK`, as scripts
 * expect; only what may work the next time keeps its status, so that it is not taken for an answer.
 */
export function etherscanRoutes(deps: EtherscanDeps): DirectRoute[] {
  // Also the operator's own networks, once they have been looked up: a chain id never changes.
  const names: Names = new Map(Object.entries(CHAIN_IDS).map(([name, id]) => [String(id), name]));
  return ETHERSCAN_PATHS.map((path) => ({
    path,
    methods: ['GET', 'HEAD'],
    handle: (exchange) => answer(deps, names, exchange),
  }));
}

interface Outcome {
  readonly status: number;
  readonly body: EtherscanAnswer;
  /** Of the API's error. */
  readonly code?: string | undefined;
  /** Of a block. */
  readonly date?: unknown;
}

async function answer(deps: EtherscanDeps, names: Names, exchange: DirectExchange): Promise<void> {
  const { request } = exchange;
  const caller = callerOf(deps, exchange);
  let outcome: Outcome;
  try {
    const params = readParams(queryOf(request.url ?? ''));
    // Escaped, because a header does not take every character of a query; no key has one that is escaped.
    const key = encodeURI(String(request.headers['x-api-key'] ?? params.get('apikey') ?? '').trim());
    const get: Get = (path) => caller.get(path, key);
    // A chain id, or a network's name in its place.
    const network = await findNetwork(get, names, params.get('chainid') ?? '1');
    if (typeof network !== 'string') outcome = network;
    else {
      const question = readQuestion(params);
      const ask: Ask = async ({ path, query, field }) => {
        const url = `/v1/${network}${path}?${new URLSearchParams(query).toString()}`;
        const got = await get(url);
        if (!got.ok) return outcomeOf(got);
        return { status: 200, body: answered(String(got.body[field])), date: got.body.date };
      };
      outcome = 'path' in question ? await ask(question) : await askTime(ask, question);
    }
  } catch (error) {
    if (!(error instanceof EtherscanError)) throw error;
    outcome = { status: 200, body: refused(error.message) };
  }
  const json = ['content-type', 'application/json; charset=utf-8', 'cache-control', 'no-store'];
  sendWhole(exchange, outcome.status, [...caller.headers(), ...json], JSON.stringify(outcome.body));
}

type Ask = (asked: Asked) => Promise<Outcome>;

/** The last block at or before a time; or the first at or after it, which is the one after the last before it. */
async function askTime(ask: Ask, { seconds, closest }: AtTime): Promise<Outcome> {
  if (closest === 'before') return ask(blockAt(seconds));
  const before = await ask(blockAt(seconds - 1));
  if (before.code === 'no_block_at_date') {
    // The chain may begin later; nodes of some have no block 0, or none that is answered.
    const first = await ask(blockOf(0));
    const hasNone = first.code === 'block_unavailable' || first.code === 'invalid_parameter';
    return hasNone || Date.parse(String(first.date)) < seconds * 1_000 ? before : first;
  }
  if (before.body.status === '0') return before;
  const after = await ask(blockOf(Number(before.body.result) + 1));
  // Any other refusal, such as a limit, says nothing of the block.
  return after.code === 'block_above_head'
    ? { status: 200, body: refused('Error! No closest block found') }
    : after;
}

/** An entry of the list of networks: one that is unavailable may not have its chain's id. */
interface Listed {
  readonly network_name: string;
  readonly chain_id?: number;
  readonly error?: ErrorBody;
}

/**
 * Finds the name of the network with a chain id. An unknown one is looked up in the list of served networks, a request that
 * the caller is charged for.
 * @returns the outcome where the list fails, or a network that cannot be ruled out is unavailable
 * @throws {EtherscanError} where no such network is served
 */
async function findNetwork(get: Get, names: Names, chain: string): Promise<string | Outcome> {
  const known = names.get(chain) ?? (NAME.test(chain) ? chain : undefined);
  if (known !== undefined) return known;
  const got = await get('/v1/networks');
  if (!got.ok) return outcomeOf(got);
  const served = new Map<string, string>();
  let unavailable: ErrorBody | undefined;
  for (const { network_name: name, chain_id: id, error } of got.body.networks as readonly Listed[]) {
    if (id === undefined) unavailable ??= error;
    else served.set(String(id), name);
  }
  for (const [id, name] of served) names.set(id, name);
  const found = served.get(chain);
  if (found !== undefined) return found;
  if (unavailable === undefined) throw notServed(served);
  return outcomeOf({ status: unavailable.statusCode, body: unavailable });
}

interface Got {
  readonly ok: boolean;
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

type Get = (path: string) => Promise<Got>;

/** The public API on behalf of the caller, with the cost of the questions and the limits after the last of them. */
function callerOf({ fetchFor }: EtherscanDeps, { client, request, response, id }: DirectExchange) {
  const left = new AbortController();
  response.once('close', () => left.abort(new ClientLeft()));
  const { origin } = request.headers;
  const fetch = fetchFor({ address: client.address, origin, passBurstToken: () => false });
  let units = 0;
  let last = new Headers();
  return {
    async get(path: string, key: string): Promise<Got> {
      const headers = { 'x-request-id': id, ...(key === '' ? {} : { 'x-api-key': key }) };
      const response = await fetch(OWN_URL + path, { headers, signal: left.signal });
      last = response.headers;
      units += Number(last.get(COST_HEADER) ?? 0);
      const { ok, status } = response;
      return { ok, status, body: (await response.json()) as Got['body'] };
    },
    headers(): readonly string[] {
      const passed = PASSED.flatMap((name) => (last.has(name) ? [name, last.get(name)!] : []));
      return [...passed, COST_HEADER, String(units)];
    },
  };
}

interface Failed {
  readonly status: number;
  readonly body: { readonly code?: string; readonly message?: string };
}

function outcomeOf({ status, body }: Failed): Outcome {
  return { status: status >= 500 ? status : 200, body: refused(wordsOf(body)), code: body.code };
}
