/** The id of a heading, as its page and the links to it have it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

/** The ids of one page's headings, asked for in their order: of equal ones the second ends with `-1`, as at GitHub. */
export function createAnchors(): (heading: string) => string {
  const met = new Map<string, number>();
  return (heading) => {
    const anchor = anchorOf(heading);
    const before = met.get(anchor) ?? 0;
    met.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  };
}
