/** A guide, as people and programs read it. */
export interface Guide {
  /** Its name below /docs/. */
  readonly slug: string;
  /** The heading that it stands under in the list of guides. */
  readonly group: string;
  readonly title: string;
  /** One sentence, without markup. */
  readonly summary: string;
  /** The whole text, with this installation's address in its examples. */
  readonly markdown: string;
}
