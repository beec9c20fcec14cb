/**
 * Limits concurrent streams, long answers and agents' messages per project, approximately across gateways, so that no
 * caller holds all of a gateway's.
 */
import { addressBlock } from '@hindsight/http/address-block.ts';
import type { Project } from '@hindsight/projects/project.ts';
import { placesTaken, slotsExceeded } from '../domain/refusals.ts';

/** A kind of what holds a place. */
export interface SlotKind {
  /** In refusals. */
  readonly name: string;
  /** Of a project over all gateways, approximately, as the burst limit is shared. */
  readonly most: number;
  /** Of this gateway: all of them, those of one account's projects, and of one client's address. */
  readonly places: { readonly all: number; readonly account: number; readonly address: number };
  /** With the demo key, which visitors share: of all of them, and of one address. */
  readonly demo: { readonly most: number; readonly address: number };
}

export const SNAPSHOTS: SlotKind = {
  name: 'snapshots',
  most: 2,
  places: { all: 64, account: 8, address: 16 },
  demo: { most: 8, address: 1 },
};
export const EVENT_STREAMS: SlotKind = {
  name: 'event streams',
  most: 5,
  places: { all: 1_024, account: 32, address: 128 },
  demo: { most: 64, address: 1 },
};
/** Each holds one of the connections to its service until its reader has taken it. */
export const LISTS: SlotKind = {
  name: 'lists of holders',
  most: 4,
  places: { all: 96, account: 8, address: 16 },
  demo: { most: 8, address: 2 },
};
/**
 * A message holds its slot until its client has read the answer, so that the slots bound the memory of unread
 * answers.
 */
export const AGENT_MESSAGES: SlotKind = {
  name: 'MCP messages',
  most: 16,
  places: { all: 128, account: 24, address: 32 },
  demo: { most: 32, address: 4 },
};

/** Times an even share, because a balancer does not spread streams evenly. */
const MARGIN = 1.2;

interface Limit {
  readonly holder: string;
  readonly most: number;
  /** The holder in a refusal: `a project`. */
  readonly whose: string;
}

/** Streams, long answers or messages under way at this gateway. */
export class Slots {
  readonly #kind: SlotKind;
  readonly #gateways: () => number;
  readonly #held = new Map<string, number>();
  #all = 0;

  constructor(kind: SlotKind, gateways: () => number = () => 1) {
    this.#kind = kind;
    this.#gateways = gateways;
  }

  /**
   * Takes a slot.
   * @param headers of a refusal
   * @returns a function that frees it, once, however often it is called
   * @throws {ApiError} 429 if the project, its account or the address has its greatest number; 503 if all are
   * taken
   */
  enter(project: Project, address: string, headers: Readonly<Record<string, string>> = {}): () => void {
    const { name, places } = this.#kind;
    const limits = this.#limitsOf(project, addressBlock(address));
    const full = limits.find(({ holder, most }) => (this.#held.get(holder) ?? 0) >= most);
    if (full !== undefined) throw slotsExceeded({ ...full, name }, headers);
    if (this.#all >= places.all) throw placesTaken(name, headers);
    this.#all++;
    for (const { holder } of limits) this.#held.set(holder, (this.#held.get(holder) ?? 0) + 1);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#all--;
      for (const { holder } of limits) this.#leave(holder);
    };
  }

  #limitsOf({ id, ownerId, demo }: Project, address: string): readonly Limit[] {
    const { most, places, demo: ofDemo } = this.#kind;
    const ofProject = { holder: `project ${id}`, whose: 'a project' };
    if (demo)
      return [
        { holder: `demo ${address}`, most: ofDemo.address, whose: 'an address with the demo key' },
        { ...ofProject, most: this.#shareOf(ofDemo.most) },
      ];
    const limits = [
      { ...ofProject, most: this.#shareOf(most) },
      { holder: `address ${address}`, most: places.address, whose: 'an address' },
    ];
    if (ownerId === null) return limits;
    return [...limits, { holder: `account ${ownerId}`, most: places.account, whose: 'an account' }];
  }

  /** Each gateway grants at least one: it cannot know the gateway of a project's next request. */
  #shareOf(most: number): number {
    return Math.min(most, Math.max(Math.round((MARGIN * most) / this.#gateways()), 1));
  }

  #leave(holder: string): void {
    const held = (this.#held.get(holder) ?? 0) - 1;
    if (held > 0) this.#held.set(holder, held);
    else this.#held.delete(holder);
  }
}
