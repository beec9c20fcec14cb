/** A guide or another document, as people and programs read it. */
export interface Guide {
  /** Its path below /docs/. */
  readonly slug: string;
  /** The heading that it stands under in the list of guides. */
  readonly group: string;
  readonly title: string;
  /** One sentence, without markup; empty where the title says it. */
  readonly summary: string;
  /** The whole text, with this installation's address in its examples. */
  readonly markdown: string;
}
