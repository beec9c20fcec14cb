/** `hindsight verify`, which asks no server and needs no key. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { run } from '../../clients/cli/src/run.ts';
import { proveBalance, proveEther, slotOf, type WireAnswer } from '../support/proven-answers.ts';

const BLOCK = 17_999_900;
const UNI = TOKENS.uni.address;
const { alice } = HOLDERS;

const folder = mkdtempSync(join(tmpdir(), 'hindsight-verify-'));
const file = join(folder, 'answer.json');
let balance: WireAnswer;
let ether: WireAnswer;
beforeAll(async () => {
  const at = { url: (await sharedDevchain(process.env)).url, block: BLOCK };
  balance = await proveBalance(at, UNI, alice);
  ether = await proveEther(at, alice);
  writeFileSync(file, JSON.stringify(balance));
});
afterAll(() => rmSync(folder, { recursive: true }));

function command(words: readonly string[], input = ''): Promise<readonly [number, string, string]> {
  return commandOn(Readable.from([Buffer.from(input)]), words);
}

async function commandOn(
  stdin: Readable,
  words: readonly string[],
): Promise<readonly [number, string, string]> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  // No server listens here: a request would fail.
  const env = { HINDSIGHT_URL: 'http://127.0.0.1:1', XDG_CONFIG_HOME: folder };
  const context = { env, stdin, stdout, stderr };
  const code = await run(['verify', ...words], { ...context, signal: new AbortController().signal });
  stdout.end();
  stderr.end();
  return [code, await text(stdout), await text(stderr)];
}

const hash = () => ['--block-hash', balance.block_hash];

describe('hindsight verify', () => {
  it('confirms the answer in a file', async () => {
    const [code, out, err] = await command([file, ...hash()]);
    expect([code, err]).toEqual([0, '']);
    expect(out).toBe(
      `verified: ${String(balance.balance)} (smallest unit) of ${UNI.toLowerCase()} held by ${alice.toLowerCase()}` +
        `  block ${BLOCK}, 2023-08-26T16:00:59Z\nslot ${slotOf(0, alice)}: solidity 0\n`,
    );
  });

  it.each([[[]], [['-']]])('confirms an answer from standard input: %j', async (words) => {
    const [code, out] = await command([...words, ...hash()], JSON.stringify(ether));
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^verified: \d+ \(smallest unit\) ether of 0x\w{40} {2}block/),
    ]);
  });

  it('closes an input that it did not read to the end', async () => {
    const lines = Array.from({ length: 3 }, () => Buffer.from('{"record":"balance"}\n'));
    const stdin = Readable.from(lines);
    const [code, , err] = await commandOn(stdin, [...hash(), '--key', `0x${'00'.repeat(32)}`]);
    expect([code, err]).toEqual([2, expect.stringContaining('--key: a snapshot has a key in each row')]);
    expect([stdin.destroyed, stdin.readableEnded]).toEqual([true, false]);
  });

  it('exits with 2 where there is no such file', async () => {
    const [code, out, err] = await command(['none.json', ...hash()]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/the file cannot be read: ENOENT.*none\.json/);
  });

  it('prints JSON for programs', async () => {
    const [code, out] = await command([file, ...hash(), '--index', '0', '--json']);
    expect([code, JSON.parse(out)]).toMatchObject([0, { verified: true, amount: balance.balance }]);
  });

  it('exits with 1 and the reason where the answer is not proven', async () => {
    const told = JSON.stringify({ ...balance, balance: '1' });
    expect(await command(hash(), told)).toEqual([
      1,
      '',
      `hindsight: not verified (amount): the answer states 1, the state of the block has ${String(balance.balance)}\n`,
    ]);
    const [code, out] = await command([...hash(), '--json'], told);
    expect([code, JSON.parse(out)]).toMatchObject([1, { verified: false, reason: 'amount' }]);
    expect(await command([file, ...hash(), '--index', '1'])).toEqual([
      1,
      '',
      expect.stringMatching('other_slot'),
    ]);
    expect(await command([file, ...hash(), '--index', '0', '--layout', 'vyper'])).toEqual([
      1,
      '',
      expect.stringMatching('other_slot'),
    ]);
    expect(await command([file, ...hash(), '--key', slotOf(1, alice)])).toEqual([
      1,
      '',
      expect.stringMatching('other_slot'),
    ]);
  });

  it.each([
    ['no JSON', 'balance', /the answer is not JSON/],
    ['nothing', '', /the answer is not JSON/],
    ['too much', ' '.repeat(1024 * 1024 + 1), /the answer is too long/],
  ])('exits with 1 for %s', async (_what, input, words) => {
    expect(await command(hash(), input)).toEqual([1, '', expect.stringMatching(words)]);
  });

  it.each([
    ['no hash of a block', []],
    ['a malformed hash', ['--block-hash', '0x12']],
    ['a malformed index', ['--block-hash', `0x${'1'.repeat(64)}`, '--index', '-1']],
    ['an unknown layout', ['--block-hash', `0x${'1'.repeat(64)}`, '--layout', 'given']],
    ['a malformed key', ['--block-hash', `0x${'1'.repeat(64)}`, '--key', '9']],
    ['a network', ['--block-hash', `0x${'1'.repeat(64)}`, '--network', 'sepolia']],
  ])('exits with 2 for %s', async (_what, words) => {
    expect(await command([file, ...words])).toEqual([2, '', expect.stringMatching(/./)]);
  });
});
