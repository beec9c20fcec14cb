import type { components } from '@hindsight/client';
import { z } from 'zod';
import { list } from '../outputs.ts';
import { defineTool } from '../tool.ts';

export const networks = defineTool({
  name: 'networks',
  title: 'List networks',
  description:
    'The networks that can be asked about: names for `network`, native coin, latest and last final block. One with an error could not be read.',
  input: {},
  output: { networks: list({ network_name: z.string(), chain_id: z.int().optional() }) },
  async run({ client, signal }) {
    const answer = await client.request<components['schemas']['Networks']>({ path: '/v1/networks', signal });
    return { ...answer };
  },
});
