import type { components } from '../openapi.ts';
import type { Transport } from '../transport.ts';

/** The plan, the month's limit, and the part of it that is used. */
export type Usage = components['schemas']['Usage'];

/** A month and a breakdown. */
export interface UsageQuestion {
  /** This month, or one of the two before it: `2026-11`. This month by default. */
  readonly month?: string | undefined;
  /** Breaks each day down, in `breakdown`. */
  readonly by?: 'day' | 'endpoint' | 'status' | 'key' | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The project's usage of a month. Costs nothing. */
export function getUsage(transport: Transport, question: UsageQuestion | AbortSignal = {}): Promise<Usage> {
  const { month, by, signal }: UsageQuestion =
    question instanceof AbortSignal ? { signal: question } : question;
  return transport.json<Usage>({ path: transport.pathTo('getUsage'), query: { month, by }, signal });
}
