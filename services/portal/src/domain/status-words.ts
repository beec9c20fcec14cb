/** Turns `/readyz`, which is for operators, into a public status without hosts and error texts. */

import { sentence } from './sentence.ts';

/** A line of `/readyz`. */
export interface ReadyPart {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

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

function headOf(detail: string): string {
  const head = /^head (\d{1,12})/.exec(detail)?.[1];
  return head === undefined ? '' : `at block ${grouped(head)}`;
}

/**
 * Wording for the components that users know; where a process serves several networks, their names end with
 * `of <network>`. A process's stores and bus are not shown.
 */
const KNOWN: Readonly<Record<string, (detail: string) => string>> = {
  'ethereum node': headOf,
  'token index': indexProgress,
  'index of holders': indexProgress,
};

/** One process's lines: itself, and those of its components that users know. @param tookMs its response time */
export function publicParts(name: string, parts: readonly ReadyPart[], tookMs: number): PublicPart[] {
  const ready = parts.every(({ ok }) => ok);
  const known = parts.flatMap(({ name: part, ok, detail }): PublicPart[] => {
    const found = Object.entries(KNOWN).find(([each]) => part === each || part.startsWith(`${each} of `));
    if (found === undefined) return [];
    const shown = ok ? found[1](detail) || 'responding' : 'not answering correctly';
    return [{ name: sentence(part), state: ok ? 'up' : 'down', detail: shown }];
  });
  const own: PublicPart = {
    name,
    state: ready ? 'up' : 'down',
    detail: ready ? `responds in ${Math.max(1, Math.round(tookMs))} ms` : 'running, but a dependency is down',
  };
  return [own, ...known];
}
