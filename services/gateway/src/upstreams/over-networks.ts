/**
 * Questions about several networks that no single process serves: each process is asked about its own, and the answers are
 * merged. One that is unavailable or slow is an error of its networks alone, and delays no answer beyond the deadline.
 */
import { OPERATIONS } from '@hindsight/api/operations.ts';
import type { NetworkGroup, OverNetworks } from './ask-groups.ts';
import { dispatchWhole, type GatheredAnswer } from './gather.ts';
import { answerList } from './list-over-networks.ts';
import { answerRows } from './rows-over-networks.ts';
import type { Upstream, UpstreamRequest } from './upstream.ts';

/** The fields that hold the parts of networks, by path. */
const LISTS: Readonly<Record<string, string>> = {
  [OPERATIONS.listNetworks.path]: 'networks',
  [OPERATIONS.getBlocksAtDate.path]: 'blocks',
};

/**
 * One upstream for all groups, for operations that are not about one network.
 * @param groups at least two, in the order of answers
 * @param withinMs milliseconds that each group has
 */
export function createOverNetworks(groups: readonly NetworkGroup[], withinMs: number): Upstream {
  const named = new Set(groups.flatMap(({ networks = [] }) => networks));
  const over: OverNetworks = { groups, named, withinMs, seen: new Map() };
  return {
    dispatch: (request, sink) => dispatchWhole(sink, (left) => answerOver(over, request, left)),
    async close() {
      await Promise.all(groups.map(({ upstream }) => upstream.close()));
    },
  };
}

function answerOver(
  over: OverNetworks,
  request: UpstreamRequest,
  left: AbortSignal,
): Promise<GatheredAnswer> {
  const [path = ''] = request.path.split('?', 1);
  const list = LISTS[path];
  return list === undefined ? answerRows(over, request, left) : answerList(over, request, list, left);
}
