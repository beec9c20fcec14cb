/** The parts of a page that a width shows or hides. */

interface Part {
  readonly outerHTML: string;
  readonly parentElement: Part | null;
  cloneNode(): Part;
  checkVisibility(options: { readonly visibilityProperty: boolean }): boolean;
}

interface Window {
  readonly document: { querySelectorAll(selector: string): Iterable<Part> };
  displayed?: ReadonlySet<Part>;
}

/**
 * Runs in a page, by itself: it may use nothing of this file. It leaves there a note of all that is displayed.
 * @returns what has been shown, whole, and what has been hidden, with its parent, since it ran there before
 */
export function displayChangesOf(): string[] {
  const window = globalThis as unknown as Window;
  const parts = [...window.document.querySelectorAll('body *')];
  const before = window.displayed ?? new Set();
  const displayed = new Set(parts.filter((part) => part.checkVisibility({ visibilityProperty: true })));
  window.displayed = displayed;
  const isChanged = (part: Part | null): part is Part =>
    part !== null && displayed.has(part) !== before.has(part);
  const tagOf = (part: Part | null): string => part?.cloneNode().outerHTML ?? '';
  return parts
    .filter((part) => isChanged(part) && !isChanged(part.parentElement))
    .map((part) =>
      displayed.has(part)
        ? `shows ${part.outerHTML}`
        : `hides ${tagOf(part)} in ${tagOf(part.parentElement)}`,
    );
}
