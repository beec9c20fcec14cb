/** The README's calls give the README's answers. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { sharedHindsight, type SharedHindsight } from './support/shared-hindsight.ts';

const README = readFileSync(resolve(import.meta.dirname, '../README.md'), 'utf8');
const EXAMPLE =
  /```sh\ncurl -H "x-api-key: \$KEY" 'http:\/\/127\.0\.0\.1:8080(\S+)'\n```\n\n```json\n([\s\S]*?)```/g;
const examples = [...README.matchAll(EXAMPLE)].map(([, path = '', answer = '']) => ({
  path,
  answer: JSON.parse(answer) as unknown,
}));

let hindsight: SharedHindsight;
beforeAll(async () => {
  hindsight = await sharedHindsight(process.env);
});

it('has three calls', () => expect(examples).toHaveLength(3));

it.each(examples)('$path', async ({ path, answer }) => {
  // A request id that is sent is the one of the answer.
  const { request_id: id = 'readme' } = answer as { request_id?: string };
  const headers = { 'x-api-key': hindsight.demoKey, 'x-request-id': id };
  const response = await fetch(hindsight.url + path, { headers });
  expect(await response.json()).toEqual(answer);
});
