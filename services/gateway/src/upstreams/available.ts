/** Adds to the balance service's list of networks what the other services offer on each. */
import { OPERATIONS } from '@hindsight/api/operations.ts';
import type { ErrorBody } from '@hindsight/kernel/errors.ts';
import { answerOf, ask, headersOf, listIn, type Entry } from './ask-groups.ts';
import { dispatchWhole, gather, type GatheredAnswer } from './gather.ts';
import type { Upstream, Upstreams, UpstreamRequest } from './upstream.ts';

const { path: PATH } = OPERATIONS.listNetworks;
const WITHIN_MS = 2_000;

/** The balance service, whose list of networks also says what the others offer. */
export function tellAvailable({ balance, orders, holders }: Upstreams): Upstream {
  return {
    ...balance,
    dispatch(request, sink) {
      if (request.path !== PATH) return balance.dispatch(request, sink);
      return dispatchWhole(sink, (left) => answerAll({ balance, orders, index: holders }, request, left));
    },
  };
}

async function answerAll(
  { balance, ...others }: Readonly<Record<'balance' | 'orders' | 'index', Upstream>>,
  request: UpstreamRequest,
  left: AbortSignal,
): Promise<GatheredAnswer> {
  const get = { ...request, method: 'GET', headers: headersOf(request) };
  const asked = Object.entries(others).map(
    async ([what, upstream]) => [what, await offersOf(upstream, get, left)] as const,
  );
  const [own, ...told] = await Promise.all([gather(balance, get, left), ...asked]);
  const networks = own.statusCode === 200 ? listIn(own, 'networks') : undefined;
  if (networks === undefined) return own;
  const entries = networks.map((network) => ('error' in network ? network : withOthers(network, told)));
  return answerOf({ networks: entries }, 'private, no-cache', 1);
}

/** A service's list of its networks: empty where there is no such service, undefined while it does not answer. */
async function offersOf(
  upstream: Upstream,
  request: UpstreamRequest,
  left: AbortSignal,
): Promise<readonly Entry[] | undefined> {
  if (upstream.refuses) return [];
  const { answer, error } = await ask({ withinMs: WITHIN_MS }, { upstream }, request, left);
  return error ? undefined : listIn(answer!, 'networks');
}

type Offers = readonly (readonly [what: string, networks: readonly Entry[] | undefined])[];

function withOthers(network: Entry, told: Offers): Entry {
  const others = told.map(([what, networks]) => [what, isOffered(network, what, networks)]);
  return { ...network, available: { ...(network.available as object), ...Object.fromEntries(others) } };
}

/** True if a service offers this on a network; null while that is not known. */
function isOffered(
  { network_name: name }: Entry,
  what: string,
  networks: readonly Entry[] | undefined,
): boolean | null {
  const one = networks?.find(({ network_name }) => network_name === name);
  const error = one?.error as ErrorBody | undefined;
  if (networks === undefined || (error && error.code !== 'unknown_network')) return null;
  return (one?.available as Record<string, boolean> | undefined)?.[what] ?? false;
}
