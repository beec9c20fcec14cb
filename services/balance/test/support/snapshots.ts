/** For tests: a snapshot's request, and its answer as records. */

/** A record of an answer. */
export type SnapshotLine = Readonly<Record<string, unknown>>;

/** An answer; of a refusal the one record is the error. */
export interface SnapshotAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly records: readonly SnapshotLine[];
}

/** Path and query of a snapshot. */
export function snapshotPath(query: Readonly<Record<string, string>>): string {
  return `/v1/eth-mainnet/balance/snapshot?${new URLSearchParams(query).toString()}`;
}

/** Asks for a snapshot. @param url with path and query */
export async function askSnapshot(
  url: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = {},
): Promise<SnapshotAnswer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'text/plain', ...headers },
    body,
  });
  const text = await response.text();
  const records = recordsOf(text);
  return { status: response.status, headers: response.headers, text, records };
}

/** The records that are complete in a text. */
export function recordsOf(text: string): readonly SnapshotLine[] {
  const complete = text.startsWith('{"message"') ? `${text}\n` : text.slice(0, text.lastIndexOf('\n') + 1);
  return complete
    .split('\n')
    .map((line) => line.replace(/^# /, ''))
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as SnapshotLine);
}
