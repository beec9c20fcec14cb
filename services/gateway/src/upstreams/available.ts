/** Adds to the list of networks, which the balance service makes, what other services have of each. */
import { OPERATIONS } from '@hindsight/api/operations.ts';
import { answerOf, ask, headersOf, listIn, type Entry, type Outcome } from './ask-groups.ts';
import { dispatchWhole, gather, type GatheredAnswer } from './gather.ts';
import type { Upstream, Upstreams, UpstreamRequest } from './upstream.ts';

const { path: PATH } = OPERATIONS.listNetworks;
const WITHIN_MS = 2_000;

/** The balance service, whose list of networks says what the others have. */
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
  const asked = Object.entries(others).map(async ([what, upstream]) => {
    const outcome = upstream.refuses
      ? undefined
      : await ask({ withinMs: WITHIN_MS }, { upstream }, get, left);
    return [what, outcome] as const;
  });
  const [own, ...said] = await Promise.all([gather(balance, get, left), ...asked]);
  const networks = own.statusCode === 200 ? listIn(own, 'networks') : undefined;
  if (networks === undefined) return own;
  const entries = networks.map((network) => ('error' in network ? network : withOthers(network, said)));
  return answerOf({ networks: entries }, 'private, no-cache', 1);
}

function withOthers(network: Entry, said: readonly (readonly [string, Outcome | undefined])[]): Entry {
  const others = said.map(([what, outcome]) => [what, outcome ? hasIt(network, what, outcome) : false]);
  return { ...network, available: { ...(network.available as object), ...Object.fromEntries(others) } };
}

/** Null while that is not known. */
function hasIt({ network_name: name }: Entry, what: string, { answer, error }: Outcome): boolean | null {
  const networks = error ? undefined : listIn(answer!, 'networks');
  if (networks === undefined) return null;
  const one = networks.find(({ network_name }) => network_name === name);
  if (one && 'error' in one) return null;
  return (one?.available as Record<string, boolean> | undefined)?.[what] ?? false;
}
