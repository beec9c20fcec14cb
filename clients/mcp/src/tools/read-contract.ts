import type { components } from '@hindsight/client';
import { z } from 'zod';
import { list } from '../outputs.ts';
import { at, wallet, whenOf } from '../parameters.ts';
import { sourceOf } from '../source.ts';
import { defineTool, post } from '../tool.ts';

type Answer = components['schemas']['CallResults'];

export const readContract = defineTool({
  name: 'read_contract',
  title: 'Read a contract',
  description:
    'Calls a view function of a contract at a moment, with up to 100 lists of arguments. Nothing can be changed by it. Use ' +
    'it for what the other tools do not answer: owners of NFTs, votes, settings.',
  input: {
    target: wallet.describe('The contract: an address (0x…) or an ENS name.'),
    function: z
      .string()
      .min(3)
      .max(1000)
      .describe(
        'The signature with its result, as Solidity writes it: "balanceOf(address) returns (uint256)".',
      ),
    args: z
      .array(z.array(z.unknown()).max(32))
      .min(1)
      .max(100)
      .default([[]])
      .describe('One list of arguments for each call, whole numbers as strings: [["0x…"], ["0x…"]].'),
    at,
  },
  output: {
    target: z.string(),
    function: z.string(),
    results: list({ values: z.array(z.unknown()).optional() }),
    source: z.looseObject({ block: z.int(), block_hash: z.string(), url: z.string() }),
  },
  async run(api, { target, function: signature, args, at: when }) {
    const question = { target, function: signature, args };
    const answer = await post<Answer>(api, '/call', { ...question, ...whenOf(when) });
    const { url, ...source } = sourceOf(api, answer, '/call', {});
    return {
      target: answer.target,
      function: answer.function,
      results: answer.results,
      source: {
        ...source,
        method: 'POST',
        url: url.replace(/\?$/, ''),
        body: { ...question, target: answer.target, block_hash: answer.block_hash },
      },
    };
  },
});
