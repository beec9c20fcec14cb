import type { Usage } from '@hindsight/client';
import { z } from 'zod';
import { defineTool } from '../tool.ts';

/** The rest of the month's limit. */
export const usage = defineTool({
  name: 'usage',
  title: 'Read usage',
  description:
    'The plan of the API key, the monthly limit in units, and what is left of it. Free. Look here before large jobs: a ' +
    'balance costs 1 unit per 100, a series 1 per 10 points, portfolio and allowances 5 each.',
  input: {},
  output: { plan: z.string(), requests: z.looseObject({ used: z.int() }), source_url: z.string() },
  async run({ client, signal, url }) {
    const answer = await client.request<Usage>({ path: '/v1/usage', signal });
    return { ...answer, source_url: `${url}/v1/usage` };
  },
});
