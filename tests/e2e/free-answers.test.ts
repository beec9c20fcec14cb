/** A 304 is free: it must never give an answer that was not paid for. */
import { HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { makeFastKey } from '../support/fast-key.ts';
import { startHindsight, type HindsightProcess } from '../support/hindsight-process.ts';

const FIRST_BLOCK = 18_000_100;
const OTHERS = 32;

const pathAt = (block: number): string =>
  `/v1/eth-mainnet/balance/single?token_address=${TOKENS.usdc.address}&holder=${HOLDERS.alice}&block_height=${block}`;
const blocks = Array.from({ length: OTHERS }, (_, index) => FIRST_BLOCK + 1 + index);

/** The tag that services give a body: no secret is in it. */
const hashOf = (body: string): string => createHash('sha256').update(body).digest('base64url').slice(0, 27);

describe('an answer that a project has not paid for', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-free-answers-'));
  let hindsight: HindsightProcess;

  let settings: Readonly<Record<string, string>>;

  beforeAll(async () => {
    const { url } = await sharedDevchain(process.env);
    settings = { DATA_DIR: folder, ETH_RPC_URL: url };
    hindsight = await startHindsight(settings);
  });

  afterAll(async () => {
    await hindsight?.end('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = async (key: string, block: number, known?: string, method = 'GET') => {
    const headers = { 'x-api-key': key, ...(known === undefined ? {} : { 'if-none-match': known }) };
    const response = await fetch(hindsight.url + pathAt(block), { method, headers });
    return { status: response.status, tag: response.headers.get('etag')!, body: await response.text() };
  };
  const used = async (key: string): Promise<number> => {
    const response = await fetch(`${hindsight.url}/v1/usage`, { headers: { 'x-api-key': key } });
    return ((await response.json()) as { requests: { used: number } }).requests.used;
  };

  it('is never free, whatever tags are guessed; one that it has is, also after a restart', async () => {
    const [payer, guesser] = [await makeFastKey(folder), await makeFastKey(folder)];
    const paid = await Promise.all(blocks.map((block) => ask(payer, block)));
    const first = await ask(guesser, FIRST_BLOCK);
    expect([first, ...paid].map(({ status }) => status)).toEqual(Array(OTHERS + 1).fill(200));

    // The best of all guesses: the very body. And a tag that was given, for another answer.
    const guesses = paid.map(({ body }, index) => {
      const hash = hashOf(body);
      const exact = `"${hash}", W/"${hash}", "${hash}-gzip", ${first.tag.replace(/^"[^".]*/, `"${hash}`)}`;
      return ['*', exact, `${exact}, *`, first.tag][index % 4]!;
    });
    const guessed = await Promise.all(
      blocks.map((block, index) => ask(guesser, block, guesses[index], index < 24 ? 'GET' : 'HEAD')),
    );
    expect(guessed.map(({ status }) => status)).toEqual(Array(OTHERS).fill(200));
    expect(guessed.map(({ tag }) => tag)).toEqual(paid.map(({ tag }) => tag));
    for (const { tag, body } of paid) expect(tag).not.toBe(`"${hashOf(body)}"`);

    const again = async () => Promise.all(blocks.map((block, index) => ask(payer, block, paid[index]!.tag)));
    expect((await again()).map(({ status, tag }) => [status, tag])).toEqual(
      paid.map(({ tag }) => [304, tag]),
    );
    await until('all are counted', async () => (await used(guesser)) >= OTHERS + 1);
    await until('all are counted', async () => (await used(payer)) >= OTHERS);
    expect([await used(guesser), await used(payer)]).toEqual([OTHERS + 1, OTHERS]);

    await hindsight.end('SIGTERM');
    hindsight = await startHindsight(settings);
    expect((await again()).map(({ status }) => status)).toEqual(Array(OTHERS).fill(304));
  });
});
