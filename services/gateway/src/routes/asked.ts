/** What the gateway's steps need of a request whose project is known. */
import type { FoundByKey } from '@hindsight/projects/ports.ts';
import type { PublicRoute } from '../domain/route-table.ts';
import type { EntityTags } from '../upstreams/entity-tags.ts';
import type { FinalAnswers } from '../upstreams/final-answers.ts';
import type { OpenStreams } from '../limits/open-streams.ts';
import type { Upstreams } from '../upstreams/upstream.ts';
import { hasPlace } from './own-api.ts';
import type { AdmitDeps, Entrant } from '../steps/admit.ts';
import type { Slots } from '../limits/slots.ts';
import type { DirectExchange } from '../upstreams/direct-routes.ts';

/** What passes requests on. */
export interface PassDeps extends AdmitDeps {
  readonly upstreams: Upstreams;
  readonly tags: EntityTags;
  readonly finals: FinalAnswers;
  /** Milliseconds that a service has to begin its answer, or a stream to make progress. */
  readonly upstreamTimeoutMs: number;
  readonly streams: Streams;
  /** Answers without end. */
  readonly endless: Streams;
}

/** Streams under way. */
export interface Streams {
  readonly slots: Slots;
  /** Ends them before their time. */
  readonly open: OpenStreams;
  readonly underWay: Set<Promise<void>>;
}

/** A request whose project is known. */
export interface Asked {
  readonly route: PublicRoute;
  /** The route's name. */
  readonly endpoint: string;
  /** With the key that the request was sent with. */
  readonly project: FoundByKey;
  /** Without the key. */
  readonly url: string;
  /** Of a body that declares its length; else 0. */
  readonly bodyBytes: number;
  /** Finds the project again. Rejects with an ApiError below 500 once its key may not do that any more. */
  readonly identifyAgain: () => Promise<FoundByKey>;
}

/** The most units that a request may cost. */
export function unitsOf({ route, url, bodyBytes }: Asked): number {
  return route.units === undefined ? 1 : route.units(queryOf(url), bodyBytes);
}

/** What is behind the question mark. */
export function queryOf(url: string): string {
  const at = url.indexOf('?');
  return at === -1 ? '' : url.slice(at + 1);
}

/** The request on its way to `admit`. */
export function entrantOf({ client, request }: DirectExchange): Entrant {
  return { address: client.address, hasPlace: hasPlace(request) };
}
