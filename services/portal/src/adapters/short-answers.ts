import { Client } from '@hindsight/kernel/undici.ts';

interface Bounds {
  readonly headers?: Readonly<Record<string, string>>;
  readonly waitMs: number;
  readonly maxChars: number;
}

/**
 * Reads a short answer. Not by `fetch`, which would load Node's own undici beside the one that is there: 9 MB.
 * @throws {Error} if it does not come in time, or is longer
 */
export async function getShort(
  url: string,
  { headers = {}, waitMs, maxChars }: Bounds,
): Promise<{ status: number; text: string }> {
  const signal = AbortSignal.timeout(waitMs);
  const { origin, pathname, search } = new URL(url);
  const client = new Client(origin);
  try {
    const options = { method: 'GET', path: pathname + search, headers, signal } as const;
    const { statusCode: status, body } = await client.request(options);
    body.setEncoding('utf8');
    let text = '';
    for await (const part of body as AsyncIterable<string>) {
      text += part;
      if (text.length > maxChars) throw new Error('the answer is too long');
    }
    return { status, text };
  } finally {
    await client.destroy();
  }
}
