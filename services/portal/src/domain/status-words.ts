/** From what `/readyz` says to operators to what everybody may read: no host, no text of an error. */

/** A line of `/readyz`. */
export interface ReadyPart {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** A line of the status page. */
export interface PublicPart {
  /** As people call it: "Gateway", "Ethereum node", "Token index". */
  readonly name: string;
  readonly state: 'up' | 'down';
  /** A few words: "answers in 3 ms", "cannot be reached". */
  readonly detail: string;
}

/** Words for the parts that people know; the stores and the bus of a process are its own affair. */
const KNOWN: Readonly<Record<string, { readonly name: string; readonly says: (detail: string) => string }>> =
  {
    'ethereum node': {
      name: 'Ethereum node',
      says: (detail) => (/^head (\d{1,12})/.exec(detail)?.[1] ?? '').replace(/^(?=\d)/, 'at block '),
    },
    'token index': {
      name: 'Token index',
      says: (detail) => /^[a-z]+: block \d{1,12}(?: of \d{1,12})?/.exec(detail)?.[0] ?? '',
    },
  };

/** The lines of one process: itself, and the parts of it that people know. @param tookMs what its answer took */
export function publicParts(name: string, parts: readonly ReadyPart[], tookMs: number): PublicPart[] {
  const ready = parts.every(({ ok }) => ok);
  const known = parts.flatMap(({ name: part, ok, detail }): PublicPart[] => {
    const words = KNOWN[part];
    if (words === undefined) return [];
    const shown = ok ? words.says(detail) || 'answers' : 'does not answer as it should';
    return [{ name: words.name, state: ok ? 'up' : 'down', detail: shown }];
  });
  const own: PublicPart = {
    ...{ name, state: ready ? 'up' : 'down' },
    detail: ready
      ? `answers in ${Math.max(1, Math.round(tookMs))} ms`
      : 'answers, but lacks something it needs',
  };
  return [own, ...known];
}
