import { until } from '@hindsight/kernel/test/support/until.ts';

interface Readiness {
  readonly parts: readonly { readonly name: string; readonly detail: string }[];
}

/** Waits until an installation's index has all finalized blocks: its tokens are listed, and their holders. */
export async function untilIndexed(url: string): Promise<void> {
  await until('all finalized blocks are indexed', async () => {
    const { parts } = (await (await fetch(`${url}/readyz`)).json()) as Readiness;
    return parts.some(
      ({ name, detail }) => name === 'token index' && /^following: block (\d+) of \1\b/.test(detail),
    );
  });
}
