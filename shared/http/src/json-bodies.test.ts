import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import { gzipSync } from 'node:zlib';
import { acceptBoundedJson } from './json-bodies.ts';
import type { HttpServer } from './types.ts';

describe('a JSON body', () => {
  let app: FastifyInstance;
  let round = 0;
  const readIn: number[] = [];

  beforeAll(() => {
    app = Fastify();
    acceptBoundedJson(app as unknown as HttpServer, { maxValues: 4, expected: 'a row' });
    app.post('/', ({ body }) => {
      readIn.push(round);
      return { body };
    });
  });
  afterAll(() => app.close());

  const post = async (payload: string | Buffer, coding = 'identity'): Promise<[number, unknown]> => {
    const headers = { 'content-type': 'application/json', 'content-encoding': coding };
    const { statusCode, json } = await app.inject({ method: 'POST', url: '/', headers, payload });
    return [statusCode, json()];
  };

  it('is parsed up to its bound', async () => {
    expect(await post('[1,2,3]')).toEqual([200, { body: [1, 2, 3] }]);
    expect(await post('[[{}]]')).toEqual([200, { body: [[{}]] }]);
    expect(await post('[1]', 'Identity')).toEqual([200, { body: [1] }]);
  });

  it.each(['gzip', 'GZIP', 'br', 'identity, gzip'])(
    'is not read where it is compressed: %s',
    async (coding) => {
      const message = 'content-encoding: expected none; send the body uncompressed';
      const refused = [415, expect.objectContaining({ message, code: 'unsupported_media_type' })];
      expect(await post(gzipSync('[1]'), coding)).toEqual(refused);
      expect(await post('[1]', coding)).toEqual(refused);
    },
  );

  it('of many bytes is parsed in a turn of its own', async () => {
    let isOver = false;
    const next = (): void => {
      round += 1;
      if (!isOver) setImmediate(next);
    };
    next();
    readIn.length = 0;
    const large = JSON.stringify(['x'.repeat(100_000)]);
    await Promise.all([post(large), post(large), post(large)]);
    isOver = true;
    expect(new Set(readIn).size).toBe(3);
  });

  it.each(['{"__proto__":0}', '{"\\u005f_proto__":0}', '{"constructor":{"prototype":0}}', '{"a":', ''])(
    'is refused where it names a prototype, or is no JSON: %s',
    async (body) => {
      const [status] = await post(body);
      expect(status).toBe(400);
    },
  );

  it('may have the words without naming one', async () => {
    expect(await post('["__proto__","constructor","\\u0041"]')).toEqual([
      200,
      { body: ['__proto__', 'constructor', 'A'] },
    ]);
  });

  // None of the last three is JSON: the parser would say so.
  it.each(['[1,2,3,4,5]', '[[[[[', '{"a":{"a":{"a":{', ',,,,,'])(
    'is refused beyond it, unparsed: %s',
    async (body) => {
      const [status, answer] = await post(body);
      expect(status).not.toBe(200);
      expect(answer).toMatchObject({ message: 'body: it has more than 4 values and names; expected a row' });
    },
  );
});
