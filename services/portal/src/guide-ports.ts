/** An endpoint of the API. */
export interface Endpoint {
  /** `GET /v1/{network}/block` */
  readonly name: string;
  /** A few words. */
  readonly summary: string;
}

/** A guide, as people and programs read it. */
export interface Guide {
  /** Its name below /docs/. */
  readonly slug: string;
  readonly title: string;
  /** One sentence, without markup. */
  readonly summary: string;
  /** The whole text, with this installation's address in its examples. */
  readonly markdown: string;
}
