/** Numbers the nodes of the proofs of a window, so that those near the root, which all proofs share, are sent once. */
export class SharedNodes {
  readonly #places = new Map<string, number>();

  /** The nodes of all proofs, in the order of their numbers from 0. */
  get nodes(): readonly string[] {
    return [...this.#places.keys()];
  }

  /** Adds the nodes of a proof. @returns their numbers */
  add(nodes: readonly string[]): readonly number[] {
    return nodes.map((node) => {
      const place = this.#places.get(node) ?? this.#places.size;
      this.#places.set(node, place);
      return place;
    });
  }
}
