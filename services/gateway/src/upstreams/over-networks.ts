/**
 * Questions about several networks, of which one process serves some, or more than the gateway does: each process is asked
 * about its own, and the answers are merged. One that is unavailable or slow is an error of its networks alone, and delays no
 * answer beyond the deadline.
 */
import { OPERATIONS } from '@hindsight/api/operations.ts';
import { ask, wholeAnswer, type NetworkGroup, type Outcome, type OverNetworks } from './ask-groups.ts';
import { dispatchWhole, type GatheredAnswer } from './gather.ts';
import { answerList } from './list-over-networks.ts';
import { answerRows } from './rows-over-networks.ts';
import type { Upstream, UpstreamRequest } from './upstream.ts';

/** The fields that hold the parts of networks, by path. */
const LISTS: Readonly<Record<string, string>> = {
  [OPERATIONS.listNetworks.path]: 'networks',
  [OPERATIONS.getBlocksAtDate.path]: 'blocks',
};
const { path: ROWS } = OPERATIONS.getNetworksBalanceBatch;

/**
 * One upstream for all groups, for operations that are not about one network.
 * @param groups at least one, in the order of answers; one alone may serve networks that it does not name
 * @param withinMs milliseconds that each group has
 */
export function createOverNetworks(groups: readonly NetworkGroup[], withinMs: number): Upstream {
  const named = new Set(groups.flatMap(({ networks = [] }) => networks));
  const over: OverNetworks = { groups, named, withinMs, seen: new Map() };
  const [first, ...others] = groups;
  return {
    dispatch(request, sink) {
      const merge = mergeOf(request);
      if (merge === undefined && others.length === 0) return first!.upstream.dispatch(request, sink);
      return dispatchWhole(sink, (left) => (merge ?? answerOfOne)(over, request, left));
    },
    async close() {
      await Promise.all(groups.map(({ upstream }) => upstream.close()));
    },
  };
}

type Merge = (over: OverNetworks, request: UpstreamRequest, left: AbortSignal) => Promise<GatheredAnswer>;

/** The way in which answers to a request are merged; undefined if it is one answer. */
function mergeOf(request: UpstreamRequest): Merge | undefined {
  const [path = ''] = request.path.split('?', 1);
  const list = LISTS[path];
  if (list !== undefined) return (over, asked, left) => answerList(over, asked, list, left);
  return path === ROWS ? answerRows : undefined;
}

/** The answer of the first group that serves the networks, which the body names by their chain ids. @throws as `wholeAnswer` */
async function answerOfOne(
  over: OverNetworks,
  request: UpstreamRequest,
  left: AbortSignal,
): Promise<GatheredAnswer> {
  const refused: Outcome[] = [];
  for (const group of over.groups) {
    const outcome = await ask(over, group, request, left);
    if (outcome.answer && outcome.error?.code !== 'unknown_network') return outcome.answer;
    refused.push(outcome);
  }
  // One that did not answer may be the one that serves them.
  return wholeAnswer([refused.find(({ answer }) => answer === undefined) ?? refused[0]!])!;
}
