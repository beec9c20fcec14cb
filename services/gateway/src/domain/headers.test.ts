import { describe, expect, it } from '@jest/globals';
import { requestHeaders } from './headers.ts';

const FORWARDING = {
  requestId: 'r',
  projectId: 'p',
  plan: 'free',
  client: { address: '192.0.2.1', host: 'gateway', protocol: 'http' },
  withBody: false,
};
/** A quadratic scan of this takes minutes. */
const BLANKS = 200_000;
const FAR_TOO_LONG_MS = 10_000;

describe('what Connection names', () => {
  it.each(['x-a, x-b', ' X-A\t,\tx-b ', ',x-a,,x-b,'])('is for the next hop only: %j', (connection) => {
    const incoming = { connection, 'x-a': '1', 'x-b': '2', 'x-c': '3' };
    expect(requestHeaders(incoming, FORWARDING).slice(-2)).toEqual(['x-c', '3']);
    expect(requestHeaders(incoming, FORWARDING)).not.toContain('x-a');
    expect(requestHeaders(incoming, FORWARDING)).not.toContain('x-b');
  });

  it.each([' ', '\t'])('is read in one pass, however many blanks (%j) are in it', (blank) => {
    const begun = performance.now();
    const connection = `x-a${blank.repeat(BLANKS)}x-b`;
    expect(requestHeaders({ connection, 'x-c': '3' }, FORWARDING).slice(-2)).toEqual(['x-c', '3']);
    expect(performance.now() - begun).toBeLessThan(FAR_TOO_LONG_MS);
  });
});
