/** Settles the cost of a request: as a whole, in portions, or at its opening. */
import type { LastingKind } from '../../domain/route-table.ts';
import type { RememberedAnswer } from '../../upstreams/final-answers.ts';
import type { Answer, Asking } from '../../upstreams/forward.ts';
import type { Upstream, UpstreamRequest, Upstreams } from '../../upstreams/upstream.ts';
import type { DirectExchange } from '../../upstreams/direct-routes.ts';
import type { HeldBodies } from '../../limits/held-bodies.ts';
import type { OpenStreams } from '../../limits/open-streams.ts';
import type { Slots } from '../../limits/slots.ts';
import type { UnreadAnswers } from '../../limits/unread-answers.ts';
import type { EntityTags } from '../../upstreams/entity-tags.ts';
import type { FinalAnswers } from '../../upstreams/final-answers.ts';
import type { Admitted, AdmitDeps } from '../admit.ts';
import type { Identification } from '../authorize.ts';
import type { AuthorizedRequest } from '../request.ts';

export interface PassDeps extends AdmitDeps, Readonly<Record<LastingKind, Lasting>> {
  readonly authentication: Identification;
  readonly upstreams: Upstreams;
  readonly tags: EntityTags;
  readonly finalAnswers: FinalAnswers;
  readonly bodies: HeldBodies;
  /** Of answers that do not last. */
  readonly unread: UnreadAnswers;
  /** Milliseconds that a service has to begin its answer, or a stream to make progress. */
  readonly upstreamTimeoutMs: number;
}

/** Answers of a kind under way. */
interface Lasting {
  readonly slots: Slots;
  /** Ends them before their time. */
  readonly open: OpenStreams;
}

export interface Passage extends Admitted {
  readonly deps: PassDeps;
  readonly authorized: AuthorizedRequest;
  readonly exchange: DirectExchange;
  readonly upstream: Upstream;
  /** A body that is forwarded whole. */
  readonly body: Buffer | null;
}

export interface Settlement {
  readonly upstream: Upstream;
  readonly body: UpstreamRequest['body'];
  readonly endless?: boolean;
  /** Entity tags that the client has, as services know them. */
  readonly knownTags?: string | undefined;
  /** A body that passes while the answer does. */
  readonly stream?: Asking['stream'];
  /** An answer that needs no service. */
  remembered?(): RememberedAnswer | undefined;
  /** Records the answer's cost, and sends it. Resolves when nothing more of it has to be recorded. */
  settle(answer: Answer | RememberedAnswer): Promise<void>;
  /** Releases the unspent units. @param failure the error of the request; undefined if it has none */
  end(failure: unknown): void | Promise<void>;
}
