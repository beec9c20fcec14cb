/** Streams at a time: so many of a project over all gateways, approximately, as the burst limit is shared out. */

/** A kind of stream. */
export interface StreamKind {
  /** In refusals. */
  readonly name: string;
  /** Of a project. */
  readonly most: number;
}

export const SNAPSHOTS: StreamKind = { name: 'snapshots', most: 2 };
export const EVENT_STREAMS: StreamKind = { name: 'event streams', most: 5 };

/** What is under way at this gateway. */
export class StreamSlots {
  readonly kind: StreamKind;
  /** The share that this gateway may grant. */
  readonly #share: () => number;
  readonly #underWay = new Map<string, number>();

  constructor(kind: StreamKind, share: () => number = () => 1) {
    this.kind = kind;
    this.#share = share;
  }

  /** Takes a slot of a project. @returns whether there was one */
  enter(project: string): boolean {
    const underWay = this.#underWay.get(project) ?? 0;
    // Each gateway grants one at least: it cannot know where a project's next request goes.
    if (underWay >= Math.max(Math.round(this.kind.most * this.#share()), 1)) return false;
    this.#underWay.set(project, underWay + 1);
    return true;
  }

  leave(project: string): void {
    const underWay = (this.#underWay.get(project) ?? 0) - 1;
    if (underWay > 0) this.#underWay.set(project, underWay);
    else this.#underWay.delete(project);
  }
}
