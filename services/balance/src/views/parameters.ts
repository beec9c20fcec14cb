/** The parameters that endpoints share. */
import { readStep, STEP_EXPECTED, STEP_PATTERN, type Grid } from '@hindsight/api/series-grid.ts';
import { NETWORKS } from '@hindsight/chain/networks.ts';
import {
  accountParam,
  addressParam,
  heightParam,
  networkParam,
  refuseSeveralBlocks,
  whenParams,
  type WhenQuery,
} from '@hindsight/chain/params.ts';
import { z } from 'zod';
import { NATIVE, type Asset } from '../domain/asset.ts';
import type { When } from '../domain/pinned.ts';

/** The path's parameters, as documented. */
export const pathParams = z.object({ network: networkParam(NETWORKS) });

/** An account as a parameter. */
export const account = (description: string): typeof accountParam => accountParam.meta({ description });

/** A token's address, or `native` for the chain's own coin. */
export const assetParam = z
  .string()
  .transform((value, context): Asset => {
    if (value === NATIVE) return value;
    const read = addressParam.safeParse(value);
    if (read.success) return read.data;
    context.addIssue({ code: 'custom', message: `${read.error.issues[0]?.message}, or ${NATIVE}` });
    return z.NEVER;
  })
  .meta({ pattern: '^(native|0x[0-9a-fA-F]{40})$' });

/** The distance between points, or the length of periods. */
export const stepParam = z
  .string()
  .transform((text, context): Grid => {
    const grid = readStep(text);
    if (grid !== undefined) return grid;
    context.addIssue({ code: 'custom', message: STEP_EXPECTED });
    return z.NEVER;
  })
  .meta({ pattern: STEP_PATTERN });

/** `whenParams` in a JSON body, where a height may also be a number. */
export const whenBody = {
  ...whenParams,
  block_height: z
    .union(
      [z.int().min(0).transform(String), z.string().meta({ pattern: '^[0-9]{1,16}$' })],
      'expected a block height: a whole decimal number from 0',
    )
    .pipe(heightParam)
    .optional()
    .meta({ description: 'The block number. Without it, date and block_hash, the latest block is used.' }),
};

/** Reads `whenParams`. @throws {ApiError} 400 when more than one is given */
export function readWhen(query: WhenQuery): When {
  refuseSeveralBlocks(query);
  const { block_height: height, date, block_hash: hash } = query;
  if (height !== undefined) return { height };
  if (date !== undefined) return { date };
  return hash === undefined ? 'latest' : { hash };
}
