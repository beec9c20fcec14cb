/** The dev chain by itself: `node devchain/src/main.ts`, set by HOST and PORT. */
import { startDevchain } from './devchain.ts';

const { HOST: host = '127.0.0.1', PORT = '8545' } = process.env;
const log = (line: string): void => void process.stdout.write(`${line}\n`);
const devchain = await startDevchain({ host, port: Number(PORT), log });
const end = (): void => void devchain.stop().then(() => process.exit(0));
process.on('SIGTERM', end).on('SIGINT', end);
