/**
 * Proofs of a token with many holders, as a real geth proves them: single answers, one after another, and the same holders in one
 * snapshot. Sizes are those of the JSON, before compression. Nothing is kept: each holder is asked about once.
 */
import { verify } from '@hindsight/client/verify';
import { verifySnapshot } from '@hindsight/client/verify-snapshot';
import { loadArtifact } from '@hindsight/devchain/artifacts.ts';
import { startGeth } from '@hindsight/tools/servers/geth.ts';
import { id, toBeHex } from 'ethers';
import { slotOf } from '../../tests/support/proven-answers.ts';
import { quantile } from '../../tests/support/steady-load.ts';
import { startService, type ServiceProcess } from './service-process.ts';

const TOKEN = `0x${'70'.repeat(20)}`;
/** In the trie of the token, which then has some five levels; mainnet's largest have eight. */
const HOLDERS = 60_000;
const ASKED = 1_000;
const KIB = 1_024;
/** Slots of the balances and of the supply (devchain/contracts). */
const BALANCES = 0;
const SUPPLY = toBeHex(2, 32);

const holder = (i: number): string => `0x${id(`holder ${i}`).slice(-40)}`;

/** Runs the benchmark and prints its table. */
export async function run(): Promise<void> {
  const storage = Object.fromEntries(
    Array.from({ length: HOLDERS }, (_, i) => [slotOf(BALANCES, holder(i)), toBeHex(i + 1, 32)]),
  );
  const code = loadArtifact('UniToken').runtime;
  const alloc = { [TOKEN]: { balance: '0x0', code, storage: { ...storage, [SUPPLY]: toBeHex(1, 32) } } };
  const node = await startGeth({ alloc });
  const service = await startService('balance', { ETH_RPC_URL: node.url });
  try {
    await single(service, HOLDERS - 1);
    const singles: { readonly ms: number; readonly bytes: number }[] = [];
    for (let i = 0; i < ASKED; i++) singles.push(await single(service, i));
    const together = await snapshot(service, ASKED, 2 * ASKED);
    const ms = Float64Array.from(singles, (one) => one.ms).sort();
    const bytes = Float64Array.from(singles, (one) => one.bytes).sort();
    print('a single answer, median', quantile(ms, 0.5), quantile(bytes, 0.5));
    print('a single answer, 99 of 100', quantile(ms, 0.99), quantile(bytes, 0.99));
    print(`${ASKED} single answers`, sumOf(ms), sumOf(bytes));
    print(`${ASKED} in one snapshot`, together.ms, together.bytes);
    console.log(`verified: ${Math.round(together.verifiedPerSecond)} rows a second of processor time`);
  } finally {
    await service.stop();
    await node.stop();
  }
}

function sumOf(numbers: Float64Array): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}

function print(name: string, ms: number, bytes: number): void {
  console.log(
    `${name.padEnd(28)} ${ms.toFixed(1).padStart(9)} ms ${(bytes / KIB).toFixed(1).padStart(9)} KiB`,
  );
}

async function single({ url }: ServiceProcess, i: number): Promise<{ ms: number; bytes: number }> {
  const begun = performance.now();
  const query = `token_address=${TOKEN}&holder=${holder(i)}&block_height=0&proof=storage`;
  const text = await (await fetch(`${url}/v1/eth-mainnet/balance/single?${query}`)).text();
  const ms = performance.now() - begun;
  const answer = JSON.parse(text) as { readonly block_hash: string };
  const checked = verify(answer, { blockHash: answer.block_hash, index: BALANCES });
  if (!checked.verified || checked.amount !== BigInt(i + 1)) throw new Error(text.slice(0, 200));
  return { ms, bytes: text.length };
}

async function snapshot({ url }: ServiceProcess, from: number, to: number) {
  const begun = performance.now();
  const body = Array.from({ length: to - from }, (_, i) => holder(from + i)).join('\n');
  const query = `token_address=${TOKEN}&block_height=0&proof=storage`;
  const answer = await fetch(`${url}/v1/eth-mainnet/balance/snapshot?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain', 'accept-encoding': 'identity' },
    body,
  });
  const text = await answer.text();
  const ms = performance.now() - begun;
  const records = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly block_hash: string });
  const before = process.cpuUsage();
  const verdict = await verifySnapshot(records, { blockHash: records[0]!.block_hash, index: BALANCES });
  const { user, system } = process.cpuUsage(before);
  if (!verdict.verified || verdict.rows !== to - from) throw new Error(JSON.stringify(verdict.refusal));
  return { ms, bytes: text.length, verifiedPerSecond: (verdict.rows * 1e6) / (user + system) };
}
