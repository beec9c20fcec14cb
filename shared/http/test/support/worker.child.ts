/**
 * A worker for tests: listens once the file of its first argument is there, and ends at SIGTERM with the code of the second.
 * Without such a file it ends at once, and one named 'too soon' never begins. Its metrics say how many workers run; there are none while the file has a neighbour
 * `-ended`.
 */
import type { Telemetry } from '@hindsight/kernel/telemetry/port.ts';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { joinPrimary } from '../../src/workers.ts';

const [gate, code] = process.argv.slice(2);
if (gate === undefined) process.exit(3);
if (gate === 'too soon') await sleep(1_000_000);
process.on('SIGTERM', () => process.exit(Number(code)));
const running = (): Promise<string> => check.check().catch(({ message }: Error) => `only ${message}`);
const metricsText = async (): Promise<string> => {
  if (existsSync(`${gate}-ended`)) throw new Error('the reader is shut down');
  return `workers{detail="${await running()}"} 1\n`;
};
const check = joinPrimary({ metricsText } as Telemetry);
while (!existsSync(gate)) await sleep(10);
createServer().listen(0, '127.0.0.1');
