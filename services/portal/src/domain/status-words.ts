/** Turns `/readyz`, which is for operators, into a public status without hosts and error texts. */

/** A line of `/readyz`. */
export interface ReadyPart {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** A line of the status page. */
export interface PublicPart {
  /** A name for people: "Gateway", "Ethereum node", "Token index". */
  readonly name: string;
  readonly state: 'up' | 'down';
  /** A few words: "responds in 3 ms", "unreachable". */
  readonly detail: string;
}

function grouped(digits: string): string {
  return Number(digits).toLocaleString('en-US');
}

/** Progress of an index, without what an operator is told beside it. */
function indexProgress(detail: string): string {
  const [text, state, at = '', end] = /^([a-z]+): block (\d{1,12})(?: of (\d{1,12}))?/.exec(detail) ?? [];
  if (text === undefined) return '';
  if (state === 'following' && at === end) return `up to date (block ${grouped(at)})`;
  return text.replaceAll(/\d+/g, grouped);
}

/**
 * Wording for the components that users know; where a process serves several networks, their names end with
 * `of <network>`. A process's stores and bus are not shown.
 */
const KNOWN: Readonly<Record<string, { readonly name: string; readonly says: (detail: string) => string }>> =
  {
    'ethereum node': {
      name: 'Ethereum node',
      says: (detail) =>
        (/^head (\d{1,12})/.exec(detail)?.[1] ?? '').replace(/^\d+$/, (head) => `at block ${grouped(head)}`),
    },
    'token index': {
      name: 'Token index',
      says: indexProgress,
    },
    'index of holders': { name: 'Index of holders', says: indexProgress },
  };

/** One process's lines: itself, and those of its components that users know. @param tookMs its response time */
export function publicParts(name: string, parts: readonly ReadyPart[], tookMs: number): PublicPart[] {
  const ready = parts.every(({ ok }) => ok);
  const known = parts.flatMap(({ name: part, ok, detail }): PublicPart[] => {
    const found = Object.entries(KNOWN).find(([each]) => part === each || part.startsWith(`${each} of `));
    if (found === undefined) return [];
    const [component, words] = found;
    const shown = ok ? words.says(detail) || 'responding' : 'not answering correctly';
    return [{ name: words.name + part.slice(component.length), state: ok ? 'up' : 'down', detail: shown }];
  });
  const own: PublicPart = {
    name,
    state: ready ? 'up' : 'down',
    detail: ready ? `responds in ${Math.max(1, Math.round(tookMs))} ms` : 'running, but a dependency is down',
  };
  return [own, ...known];
}
