/** A dependency that a service needs in order to be useful. */
export interface ReadinessCheck {
  readonly name: string;
  /** Checks with the same value are alternatives, such as one for each network: the process is ready while any of them passes. */
  readonly anyOf?: string;
  /** Resolves to a word on the part's state; rejects, with a message fit to be shown to the operator, when it is missing. */
  check(): Promise<string>;
}
