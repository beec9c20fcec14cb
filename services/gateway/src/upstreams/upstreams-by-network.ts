/** One service, with processes or limits of its own for each network. */
import { pathsOf } from '@hindsight/api/operations.ts';
import { PASSED_OPERATIONS } from '../domain/route-table.ts';
import { answerWithError, notServed } from './own-answer.ts';
import type { Upstream } from './upstream.ts';

interface NetworkUpstreams {
  readonly networks: ReadonlyMap<string, Upstream>;
  /** Answers about any other network; undefined where no other is served. */
  readonly others: Upstream | undefined;
  /** Answers what is not about one network; any of them by default. */
  readonly general?: Upstream | undefined;
}

/** Paths of operations that are not about one network. */
const GENERAL = new Set(
  PASSED_OPERATIONS.flatMap(pathsOf).filter((path) => !path.startsWith('/v1/:network/')),
);

/**
 * Sends each request to the processes of its network. Each has limits of its own, so that requests that wait for the nodes of
 * one network keep no place from those of another. A network that is not served is a 404 that names those that are.
 */
export function createUpstreamsByNetwork({ networks, others, general }: NetworkUpstreams): Upstream {
  const all = new Set([...networks.values(), ...[others, general].filter((one) => one !== undefined)]);
  const [first] = all;
  return {
    dispatch(request, sink) {
      const [path = ''] = request.path.split('?', 1);
      const name = networkOf(path);
      const chosen = GENERAL.has(path) ? (general ?? others ?? first) : (networks.get(name) ?? others);
      if (chosen !== undefined) return chosen.dispatch(request, sink);
      return answerWithError(request, sink, 'unknown_network', notServed(name, networks.keys()));
    },
    async close() {
      await Promise.all([...all].map((upstream) => upstream.close()));
    },
  };
}

/** The second part of a path; as it was sent where its escapes cannot be read. */
function networkOf(path: string): string {
  const name = path.split('/', 3)[2] ?? '';
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
