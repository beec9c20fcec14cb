import { OPERATIONS } from '@hindsight/api/operations.ts';
import type { FinalityRule } from '@hindsight/chain/networks.ts';
import { NODE_CODES, type ApiOperation } from '@hindsight/http/api-operation.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { z } from 'zod';
import { isoDate } from '../domain/pinned.ts';
import type { NetworkNow, NetworkState } from '../ports.ts';
import { errorInPlace, hash, network, time } from '../views/fields.ts';
import type { Answers } from './answers.ts';
import { eachNetwork } from './each-network.ts';

const querystring = z.strictObject({});

const place = {
  block_number: z.int().meta({ description: 'The block’s height' }),
  block_hash: hash('The block’s hash'),
  date: time,
};

const always = {
  ...network,
  native_coin: z
    .object({
      symbol: z.string().meta({ description: 'As people write it: `ETH`' }),
      decimals: z.int().meta({ description: 'Digits after the decimal point of a whole coin' }),
    })
    .meta({ description: 'The coin that `native` means' }),
  finality: z
    .union([
      z.object({
        rule: z.literal('finalized').meta({ description: 'By the tag `finalized` of the nodes' }),
        greatest_age: z.int().nullable().meta({
          description:
            'Blocks behind the head up to which the tag is believed; beyond, no answer says `finalized`. null: any',
        }),
      }),
      z.object({
        rule: z.literal('depth').meta({ description: 'By the depth below the head' }),
        depth: z.int().meta({ description: 'Blocks below the head' }),
      }),
    ])
    .meta({ description: 'When a block counts as final' }),
};

/** From another service, through the gateway. */
const elsewhere = (description: string) =>
  z
    .boolean()
    .nullable()
    .optional()
    .meta({ description: `${description}; null while that service does not answer` });

const served = z.object({
  ...always,
  head: z.object(place).meta({ description: 'The latest block' }),
  finalized: z
    .object({ ...place, age_seconds: z.int().meta({ description: 'Seconds from its time to the head’s' }) })
    .nullable()
    .meta({ description: 'The last final block by the rule; null where there is none' }),
  first_block: z.int().meta({
    description:
      'The first block that can be answered: the chain’s own, or a later one, as far as the nodes have said what they keep',
  }),
  available: z
    .object({
      log_search: z
        .boolean()
        .meta({ description: 'True if a node keeps logs, which portfolios and changes need' }),
      names: z.boolean().meta({ description: 'True if ENS names can be given' }),
      orders: elsewhere('True if signed orders are taken: the exchange settles them here'),
      index: elsewhere('True if holders and transfers of some tokens are indexed'),
      proofs_from: z
        .int()
        .nullable()
        .meta({ description: 'The first block that a node has said to prove state of; null where none has' }),
    })
    .meta({ description: 'What can be asked' }),
});
/** Of a process that has never answered only the name is known. */
const unavailable = z
  .object(always)
  .partial({ chain_id: true, native_coin: true, finality: true })
  .extend({ error: errorInPlace });

/** GET /v1/networks: what is served, and where each is. */
export const networks: ApiOperation = {
  ...OPERATIONS.listNetworks,
  tag: 'Networks',
  summary: 'List the networks',
  description:
    'Every network that is served: its name in paths, chain id and coin, its latest and its last final block, the rule of ' +
    'finality, the first block that can be answered, and what else can be asked. One whose nodes are unavailable has an `error` in ' +
    'place of these blocks; the others are answered as ever.',
  querystring,
  success: {
    status: 200,
    name: 'Networks',
    schema: z.object({
      networks: z
        .array(z.union([served, unavailable]))
        .meta({ description: 'Those that are served, in a fixed order' }),
    }),
    cacheable: true,
    description: 'The networks',
  },
  codes: ['unknown_parameter', 'repeated_parameter', ...NODE_CODES],
  errors: { 400: 'There is a parameter; none is known' },
};

/** Asked by status pages, which must not wait for an unavailable network. */
const WITHIN_MS = 3_000;

/** Adds the route. @param states those of the networks that are served */
export function addNetworks(app: HttpServer, states: readonly NetworkState[], answers: Answers): void {
  app.get(networks.path, { schema: { querystring } }, (request, reply) =>
    answers.sendComputed(request, reply, async (signal) => {
      const parts = await eachNetwork(states, { signal, withinMs: WITHIN_MS }, async (state, own) =>
        nowFields(state, await state.read(own)),
      );
      const all = parts.map((part, at) => ({ ...part, ...alwaysFields(states[at]!) }));
      return { record: { networks: all }, units: 1, lasting: false };
    }),
  );
}

function alwaysFields({ network: { native, finality } }: NetworkState) {
  return { native_coin: native, finality: finalityFields(finality) };
}

function finalityFields(rule: FinalityRule | undefined) {
  if (rule !== undefined && 'depth' in rule) return { rule: 'depth', depth: rule.depth };
  return { rule: 'finalized', greatest_age: rule?.greatestAge ?? null };
}

function nowFields(
  { hasNames }: NetworkState,
  { head, finalized, firstBlock, hasLogs, proofsFrom }: NetworkNow,
) {
  return {
    head: placeFields(head),
    finalized: finalized && { ...placeFields(finalized), age_seconds: head.timestamp - finalized.timestamp },
    first_block: firstBlock,
    available: { log_search: hasLogs, names: hasNames, proofs_from: proofsFrom },
  };
}

function placeFields({ number, hash: blockHash, timestamp }: NetworkNow['head']) {
  return { block_number: number, block_hash: blockHash, date: isoDate(timestamp) };
}
