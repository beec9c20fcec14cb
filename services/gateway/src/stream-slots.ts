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

/** Times an even share, because a balancer does not spread streams evenly. */
const MARGIN = 1.2;

/** What is under way at this gateway. */
export class StreamSlots {
  readonly kind: StreamKind;
  /** How many gateways there are. */
  readonly #gateways: () => number;
  readonly #underWay = new Map<string, number>();

  constructor(kind: StreamKind, gateways: () => number = () => 1) {
    this.kind = kind;
    this.#gateways = gateways;
  }

  /** Takes a slot of a project. @returns whether there was one */
  enter(project: string): boolean {
    const underWay = this.#underWay.get(project) ?? 0;
    if (underWay >= this.#own()) return false;
    this.#underWay.set(project, underWay + 1);
    return true;
  }

  /** Each gateway grants one at least: it cannot know where a project's next request goes. */
  #own(): number {
    const { most } = this.kind;
    return Math.min(most, Math.max(Math.round((MARGIN * most) / this.#gateways()), 1));
  }

  leave(project: string): void {
    const underWay = (this.#underWay.get(project) ?? 0) - 1;
    if (underWay > 0) this.#underWay.set(project, underWay);
    else this.#underWay.delete(project);
  }
}
