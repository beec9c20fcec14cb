interface Page {
  readonly next: string | null;
}

/** Asks for all pages of a list. @param ask asks for the page of a cursor, the first without one */
export async function walk<P extends Page>(
  ask: (cursor: string | undefined) => Promise<P>,
): Promise<{ readonly all: readonly P[]; readonly last: P }> {
  let last = await ask(undefined);
  const all = [last];
  while (last.next !== null) {
    last = await ask(last.next);
    all.push(last);
  }
  return { all, last };
}
