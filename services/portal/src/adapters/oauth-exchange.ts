import * as oauth from 'openid-client';
import { isLoopback } from '../origin.ts';
import { ProviderFailed } from '../ports.ts';

/** Timeout of each request to a provider. */
export const EXCHANGE_SECONDS = 6;

/** Allows plain http for providers on this machine only. */
export function allowLoopback(base: string): ((configuration: oauth.Configuration) => void)[] {
  const { protocol, hostname } = new URL(base);
  // Marked deprecated only to be noticed: this is its intended use.
  return protocol === 'http:' && isLoopback(hostname) ? [oauth.allowInsecureRequests] : [];
}

/** Turns any failure into a `ProviderFailed` whose message holds no secret. */
export async function failing<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { name, code, error: answer } = error as { name?: string; code?: string; error?: unknown };
    // An error code of the provider, such as redirect_uri_mismatch; it may come by way of the browser.
    const told = typeof answer === 'string' && /^\w{1,60}$/.test(answer) && answer;
    throw new ProviderFailed(`${what}: ${[name, code, told].filter(Boolean).join(' ')}`);
  }
}
