/** The contrast of a page's text, of each combination of colours once. */

interface Style {
  readonly color: string;
  readonly fontSize: string;
  readonly fontWeight: string;
  readonly textShadow: string;
  readonly backgroundColor: string;
  readonly backgroundImage: string;
  readonly opacity: string;
  readonly mixBlendMode: string;
}

interface Part {
  readonly parentElement: Part | null;
  readonly childNodes: Iterable<{ readonly nodeType: number; readonly textContent: string | null }>;
  matches(selector: string): boolean;
  checkVisibility(): boolean;
}

interface AxeNode {
  readonly element: Part;
  readonly html: string;
  readonly failureSummary?: string;
  readonly any: readonly { readonly data: { readonly messageKey?: string | null } | null }[];
}

type Result = readonly { readonly nodes: readonly AxeNode[] }[];

interface Results {
  readonly violations: Result;
  readonly passes: Result;
  readonly incomplete: Result;
}

interface Window {
  readonly axe: {
    run(context: object, options: object): Promise<Results>;
    readonly commons: { readonly dom: { isOffscreen(part: Part): boolean } };
  };
  readonly document: { querySelectorAll(selector: string): Iterable<Part> };
  readonly getComputedStyle: (part: Part) => Style;
}

/**
 * Runs in a page, by itself: it may use nothing of this file.
 * @param judged combinations of colours that have been judged: of a text and all that is behind it, with its size
 * @returns a line for each text of too little contrast, and the combinations that axe has judged here
 */
export async function contrastOf({
  judged,
  part: within,
}: {
  readonly judged: readonly string[];
  readonly part: string;
}): Promise<{ readonly lines: string[]; readonly judgedHere: string[] }> {
  const { axe, document, getComputedStyle } = globalThis as unknown as Window;
  const TEXT_NODE = 3;
  const backgrounds = new Map<Part | null, string>([[null, '']]);
  const backgroundOf = (part: Part | null): string => {
    const noted = backgrounds.get(part);
    if (noted !== undefined || part === null) return noted ?? '';
    const { backgroundColor, backgroundImage, opacity, mixBlendMode } = getComputedStyle(part);
    const own = `${backgroundColor} ${backgroundImage} ${opacity} ${mixBlendMode}`;
    const behind = backgroundOf(part.parentElement);
    const all = own === 'rgba(0, 0, 0, 0) none 1 normal' ? behind : `${behind}/${own}`;
    backgrounds.set(part, all);
    return all;
  };
  const coloursOf = (part: Part): string => {
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(part);
    return `${color} ${fontSize} ${fontWeight} ${textShadow} on ${backgroundOf(part)}`;
  };
  const hasText = (part: Part): boolean =>
    part.matches('input, textarea, select') ||
    [...part.childNodes].some(({ nodeType, textContent }) => nodeType === TEXT_NODE && textContent?.trim());
  const before = new Set(judged);
  // Text beyond the page's edge is not judged by axe before it comes in: the link that skips the header, on every page.
  const open = [...document.querySelectorAll(`${within} *`)].filter(
    (part) =>
      hasText(part) &&
      part.checkVisibility() &&
      !before.has(coloursOf(part)) &&
      !axe.commons.dom.isOffscreen(part),
  );
  if (open.length === 0) return { lines: [], judgedHere: [] };
  const { violations, passes, incomplete } = await axe.run(
    { include: open },
    {
      runOnly: ['color-contrast'],
      resultTypes: ['violations', 'passes', 'incomplete'],
      preload: { assets: ['media'] },
      selectors: false,
      elementRef: true,
    },
  );
  const nodesOf = (result: Result): AxeNode[] => result.flatMap(({ nodes }) => [...nodes]);
  // A program cannot judge text on an image. What else it leaves open depends on the place in the page, not on colours.
  const onImage = nodesOf(incomplete).filter(({ any }) =>
    any.some(({ data }) => data?.messageKey === 'bgGradient' || data?.messageKey === 'bgImage'),
  );
  return {
    lines: nodesOf(violations).map(
      ({ html, failureSummary }) => `color-contrast: ${html.slice(0, 200)}: ${failureSummary ?? ''}`,
    ),
    judgedHere: [...new Set([...nodesOf(passes), ...onImage].map(({ element }) => coloursOf(element)))],
  };
}
