import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import { acceptBoundedJson } from './json-bodies.ts';
import type { HttpServer } from './types.ts';

describe('a JSON body', () => {
  let app: FastifyInstance;

  beforeAll(() => {
    app = Fastify();
    acceptBoundedJson(app as unknown as HttpServer, { maxValues: 3, expected: 'a row' });
    app.post('/', ({ body }) => ({ body }));
  });
  afterAll(() => app.close());

  const post = async (payload: string): Promise<[number, unknown]> => {
    const headers = { 'content-type': 'application/json' };
    const { statusCode, json } = await app.inject({ method: 'POST', url: '/', headers, payload });
    return [statusCode, json()];
  };

  it('is parsed up to its bound', async () => {
    expect(await post('[1,2,3]')).toEqual([200, { body: [1, 2, 3] }]);
    expect(await post('[[{}]]')).toEqual([200, { body: [[{}]] }]);
  });

  // None of the last three is JSON: the parser would say so.
  it.each(['[1,2,3,4]', '[[[[', '{"a":{"a":{"a":{', ',,,,'])(
    'is refused beyond it, unparsed: %s',
    async (body) => {
      const [status, answer] = await post(body);
      expect(status).not.toBe(200);
      expect(answer).toMatchObject({ message: 'body: it has more than 3 values and names; expected a row' });
    },
  );
});
