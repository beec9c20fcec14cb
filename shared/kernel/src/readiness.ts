/** A dependency that a service needs in order to be useful. */
export interface ReadinessCheck {
  readonly name: string;
  /** Checks with the same value are alternatives, such as one for each network: the process is ready while any of them passes. */
  readonly anyOf?: string;
  /** Resolves to a word on the part's state; rejects, with a message fit to be shown to the operator, when it is missing. */
  check(): Promise<string>;
}

/** The check of each network; of several, each has its network's name, and one that passes is enough to be ready. */
export function ofEachNetwork(
  name: string,
  parts: readonly (Pick<ReadinessCheck, 'check'> & { readonly network: { readonly name: string } })[],
): readonly ReadinessCheck[] {
  return parts.map(({ network, check }) =>
    parts.length === 1 ? { name, check } : { name: `${name} of ${network.name}`, anyOf: name, check },
  );
}
