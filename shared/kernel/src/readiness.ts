/** A dependency that a service needs in order to be useful. */
export interface ReadinessCheck {
  readonly name: string;
  /** Checks with the same value stand side by side, as networks do: the process is of use while any of them holds. */
  readonly anyOf?: string;
  /** Resolves to a word on the part's state; rejects, with a message fit to be shown to the operator, when it is missing. */
  check(): Promise<string>;
}
