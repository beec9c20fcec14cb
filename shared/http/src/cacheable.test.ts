import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Fastify from 'fastify';
import { createHash } from 'node:crypto';
import { request } from 'undici';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { sendCacheable, withEtag } from './cacheable.ts';
import { LEAST_CODED_BYTES } from './content-coding.ts';

const SHORT = JSON.stringify({ text: 'x'.repeat(LEAST_CODED_BYTES - 100) });
/** As large as a page of tokens can be, and as hard to compress: addresses are random. */
const LONG = JSON.stringify(
  Array.from({ length: 5_000 }, (_, i) => ({
    token_address: `0x${createHash('sha1').update(String(i)).digest('hex')}`,
    name: `Ω🦄 Token ${i}`,
  })),
);
const TAGS = { short: withEtag(SHORT).etag, long: withEtag(LONG).etag };
const coded = (etag: string, coding: string): string => etag.replace(/"$/, `-${coding}"`);

const app = Fastify();
let url: string;
beforeAll(async () => {
  app.get('/short', (incoming, reply) => sendCacheable(incoming, reply, withEtag(SHORT), true));
  app.get('/long', async (incoming, reply) => sendCacheable(incoming, reply, withEtag(LONG), true));
  const selected = { ...withEtag(LONG), type: 'text/csv', isNegotiated: true };
  app.get('/selected', async (incoming, reply) => sendCacheable(incoming, reply, selected, true));
  // Kept answers are sent in a hook, before a route is found.
  app.addHook('onRequest', (incoming, reply, done) => {
    if (incoming.url === '/kept') sendCacheable(incoming, reply, withEtag(LONG), false);
    else done();
  });
  url = await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => app.close());

interface Answer {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly bytes: Buffer;
}

/** Asks without decompressing. */
async function ask(path: string, headers: Record<string, string>, method = 'GET'): Promise<Answer> {
  const answer = await request(url + path, { method: method as 'GET', headers });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  return { status: answer.statusCode, headers: answer.headers, bytes };
}

describe('a long answer', () => {
  it.each([
    ['gzip', 'gzip', gunzipSync],
    ['br', 'br', brotliDecompressSync],
    ['br, gzip', 'br', brotliDecompressSync],
    ['gzip, deflate, br;q=0.5', 'gzip', gunzipSync],
    ['GZIP;q=1.0', 'gzip', gunzipSync],
    ['*', 'br', brotliDecompressSync],
    ['identity;q=0.1, gzip;q=0.2', 'gzip', gunzipSync],
  ])('is compressed as requested: %s', async (accepted, coding, unpack) => {
    for (const path of ['/long', '/kept']) {
      const { status, headers, bytes } = await ask(path, { 'accept-encoding': accepted });
      expect([status, headers['content-encoding'], headers.etag]).toEqual([
        200,
        coding,
        coded(TAGS.long, coding),
      ]);
      expect(headers).toMatchObject({
        vary: 'accept-encoding',
        'content-type': 'application/json; charset=utf-8',
        'content-length': String(bytes.length),
        'cache-control': path === '/long' ? 'private, max-age=31536000, immutable' : 'private, no-cache',
      });
      expect(bytes.length).toBeLessThan(LONG.length / 1.5);
      expect(unpack(bytes).toString()).toBe(LONG);
    }
  });

  it.each([
    ['nothing', {}],
    ['identity', { 'accept-encoding': 'identity' }],
    ['identity rather', { 'accept-encoding': 'identity, gzip;q=0.5' }],
    ['an empty list', { 'accept-encoding': '' }],
    ['zstd', { 'accept-encoding': 'zstd, deflate' }],
    ['no gzip', { 'accept-encoding': 'gzip;q=0' }],
    ['something broken', { 'accept-encoding': ';;q=,gzip gzip' }],
  ] as [string, Record<string, string>][])(
    'is sent uncompressed where %s is requested',
    async (_what, sent) => {
      const { status, headers, bytes } = await ask('/long', sent);
      expect([status, headers['content-encoding'], headers.vary, headers.etag]).toEqual([
        200,
        undefined,
        'accept-encoding',
        TAGS.long,
      ]);
      expect(bytes.toString()).toBe(LONG);
    },
  );

  it('is not sent again to a client that has it in any coding', async () => {
    const had = [TAGS.long, coded(TAGS.long, 'gzip'), `"other", W/${coded(TAGS.long, 'br')}`, '*'];
    for (const known of had) {
      for (const [accepted, etag] of [
        ['gzip', coded(TAGS.long, 'gzip')],
        ['identity', TAGS.long],
      ] as const) {
        const answer = await ask('/long', { 'if-none-match': known, 'accept-encoding': accepted });
        expect([answer.status, answer.bytes.length, answer.headers['content-encoding']]).toEqual([
          304,
          0,
          undefined,
        ]);
        expect(answer.headers).toMatchObject({ etag, vary: 'accept-encoding' });
      }
    }
    for (const known of [TAGS.short, coded(TAGS.long, 'zip'), TAGS.long.slice(0, -1)]) {
      expect((await ask('/long', { 'if-none-match': known })).status).toBe(200);
    }
  });

  it('has the same headers on a HEAD', async () => {
    for (const accepted of ['gzip', 'identity']) {
      const whole = await ask('/long', { 'accept-encoding': accepted });
      const head = await ask('/long', { 'accept-encoding': accepted }, 'HEAD');
      expect([head.status, head.bytes.length]).toEqual([200, 0]);
      const stable = ({ headers }: Answer): unknown => ({
        ...headers,
        date: undefined,
        connection: undefined,
        'keep-alive': undefined,
      });
      expect(stable(head)).toEqual(stable(whole));
    }
  });

  it('blocks no other request while it is compressed', async () => {
    let overtaken = 0;
    for (let i = 0; i < 10 && overtaken === 0; i++) {
      const order: string[] = [];
      const long = ask('/long', { 'accept-encoding': 'br' }).then(() => order.push('long'));
      await ask('/short', {}).then(() => order.push('short'));
      await long;
      if (order[0] === 'short') overtaken += 1;
    }
    expect(overtaken).toBe(1);
  });
});

describe('an answer whose media type the request selects', () => {
  it('says so to caches', async () => {
    const { headers } = await ask('/selected', {});
    expect(headers).toMatchObject({ vary: 'accept, accept-encoding', 'content-type': 'text/csv' });
  });
});

describe('a short answer', () => {
  it('is sent uncompressed, whatever is requested', async () => {
    const { status, headers, bytes } = await ask('/short', { 'accept-encoding': 'gzip, br' });
    expect([status, headers['content-encoding'], headers.vary, headers.etag]).toEqual([
      200,
      undefined,
      undefined,
      TAGS.short,
    ]);
    expect(bytes.toString()).toBe(SHORT);
  });
});
