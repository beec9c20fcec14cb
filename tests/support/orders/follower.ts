/**
 * A follower of the orders' stream that may be killed at any time: it writes a line for each event, with its id and the
 * order's, and begins after the last whole line. `node follower.ts FILE`, with HINDSIGHT_URL and HINDSIGHT_API_KEY.
 */
import { createClient } from '@hindsight/client';
import { closeSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';

const [, , file = ''] = process.argv;
const { HINDSIGHT_URL: url = '', HINDSIGHT_API_KEY: apiKey = '' } = process.env;

closeSync(openSync(file, 'a'));
const kept = readFileSync(file, 'utf8');
const whole = kept.slice(0, kept.lastIndexOf('\n') + 1);
truncateSync(file, whole.length);
const lastEventId = whole.trimEnd().split('\n').at(-1)!.split(' ')[0] || '0';

const output = openSync(file, 'a');
const client = createClient({ apiKey, url, retries: 1_000 });
for await (const { id, order } of client.orders.stream({ lastEventId }))
  writeSync(output, `${id} ${order.chainId}:${order.orderHash}\n`);
