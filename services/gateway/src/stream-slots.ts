/** Streams at a time: a project has two over all gateways, approximately, as the burst limit is shared out. */

/** Of a project. */
export const MAX_STREAMS = 2;

/** What is under way at this gateway. */
export class StreamSlots {
  /** The share that this gateway may grant. */
  readonly #share: () => number;
  readonly #underWay = new Map<string, number>();

  constructor(share: () => number = () => 1) {
    this.#share = share;
  }

  /** Takes a slot of a project. @returns whether there was one */
  enter(project: string): boolean {
    const underWay = this.#underWay.get(project) ?? 0;
    // Each gateway grants one at least: it cannot know where a project's next request goes.
    if (underWay >= Math.max(Math.round(MAX_STREAMS * this.#share()), 1)) return false;
    this.#underWay.set(project, underWay + 1);
    return true;
  }

  leave(project: string): void {
    const underWay = (this.#underWay.get(project) ?? 0) - 1;
    if (underWay > 0) this.#underWay.set(project, underWay);
    else this.#underWay.delete(project);
  }
}
