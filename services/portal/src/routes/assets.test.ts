import { createHttpServer } from '@hindsight/http/server.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { describe, expect, it } from '@jest/globals';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { loadAssets } from '../adapters/assets.ts';
import { html } from '../pages/html.ts';
import { layout } from '../pages/layout.ts';
import { addAssets } from './assets.ts';

const STYLE = '/assets/hindsight.css';
const FONT = '/assets/fonts/text.woff2';

describe('the assets', () => {
  const logger = createLogger({ name: 'test', level: 'silent' });
  const app = createHttpServer({ logger, lifecycle: createLifecycle(logger) });
  addAssets(app, loadAssets());

  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const { statusCode: status, headers: said, rawPayload: bytes } = await app.inject({ url: path, headers });
    return { status, headers: said, bytes };
  };

  it('are sent in the preferred coding, each with its own ETag', async () => {
    const plain = await ask(STYLE);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.headers).toMatchObject({ 'cache-control': 'public, no-cache', vary: 'accept-encoding' });
    const unpack = { br: brotliDecompressSync, gzip: gunzipSync };
    for (const coding of ['br', 'gzip'] as const) {
      const coded = await ask(STYLE, { 'accept-encoding': coding });
      expect(coded.headers['content-encoding']).toBe(coding);
      expect(coded.headers.etag).toBe(String(plain.headers.etag).replace(/"$/, `-${coding}"`));
      expect(coded.bytes.length).toBeLessThan(plain.bytes.length / 2);
      expect(unpack[coding](coded.bytes)).toEqual(plain.bytes);
    }
  });

  it('are not sent again to a client that has them, in any coding', async () => {
    const tags = await Promise.all(
      ['br', 'gzip', 'identity'].map(
        async (coding) => (await ask(STYLE, { 'accept-encoding': coding })).headers.etag,
      ),
    );
    for (const tag of [...tags, `W/${String(tags[0])}`, `"other", ${String(tags[1])}`, '*']) {
      const known = await ask(STYLE, { 'if-none-match': String(tag), 'accept-encoding': 'br' });
      expect([known.status, known.bytes.length, known.headers.etag]).toEqual([304, 0, tags[0]]);
    }
    expect((await ask(STYLE, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('are immutable and uncompressed if they are fonts', async () => {
    const font = await ask(FONT, { 'accept-encoding': 'br, gzip' });
    expect(font.headers).toMatchObject({
      'content-type': 'font/woff2',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect(font.headers['content-encoding']).toBeUndefined();
    expect(font.bytes.subarray(0, 4).toString()).toBe('wOF2');
  });

  it('are no fonts, of those that every page declares, but the preloaded ones', async () => {
    const frame = { user: null, theme: 'auto', path: '/', mailbox: false } as const;
    const page = layout(frame, { title: 'A page' }, html``);
    const preloaded = [...page.matchAll(/href="(\S+\.woff2)"/g)].map(([, url]) => url);
    const declared = (await ask('/assets/fonts.css')).bytes.toString().matchAll(/url\('(\S+)'\)/g);
    expect([...declared].map(([, url]) => url)).toEqual(preloaded);
  });

  it.each(['nothing.css', '..%2f..%2fpackage.json', '../../package.json', '', 'constructor'])(
    'include no other file: %j',
    async (name) => {
      expect((await ask(`/assets/${name}`)).status).toBe(404);
    },
  );
});
