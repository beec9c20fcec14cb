import type { When } from '@hindsight/client';
import { UsageError } from './exit-codes.ts';

/** `--at`: a block's number, a block's hash, or a date. Nothing, or `latest`, is the latest block. */
export function parseWhen(text: string | undefined): When {
  if (text === undefined || text === 'latest') return {};
  if (/^0x[0-9a-f]{64}$/i.test(text)) return { blockHash: text };
  const digits = text.replaceAll(/[,_]/g, '');
  if (/^\d{1,15}$/.test(digits)) return { block: Number(digits) };
  if (/^\d{4}-\d{2}/.test(text)) return { date: text };
  throw new UsageError(
    `--at ${text}: expected a block number, a block hash, or a date such as 2023-08-26 or 2023-08-26T16:21:35Z`,
  );
}
