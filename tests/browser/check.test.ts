/** The page that checks an answer, in a browser that has lost its connection: no server is asked. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { runPortal, type RunningPortal } from '@hindsight/portal/test/support/run-portal.ts';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { examiner } from '../support/browser/looks.ts';
import { describeInBrowser, eachWithReader } from '../support/browser/suite.ts';
import { proveBalance, proveShares, type WireAnswer } from '../support/proven-answers.ts';

const BLOCK = 17_999_900;

describeInBrowser('The check of an answer', process.env, (browser) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hindsight-check-'));
  const reader = eachWithReader(browser);
  const faultsOf = examiner(process.env);
  let portal: RunningPortal;
  let answer: WireAnswer;
  beforeAll(async () => {
    portal = await runPortal({ dataDir });
    const { url } = await sharedDevchain(process.env);
    answer = await proveBalance({ url, block: BLOCK }, TOKENS.uni.address, HOLDERS.alice);
  });
  afterAll(async () => {
    await portal?.stop();
    rmSync(dataDir, { recursive: true });
  });

  it('passes axe, and fits', async () => {
    expect(await faultsOf(reader(), `${portal.url}/check`)).toEqual([]);
  });

  it('confirms an answer, and refuses a changed one, without a connection', async () => {
    const { page, context } = reader();
    await page.goto(`${portal.url}/check`);
    await context.setOffline(true);
    const check = async (text: string): Promise<string> => {
      await page.getByLabel('Answer, as JSON').fill(text);
      await page.getByRole('button', { name: 'Check' }).click();
      return page.locator('#verdict').innerText();
    };
    await page.getByLabel('Block hash, from your own source').fill(answer.block_hash);
    expect(await check(JSON.stringify(answer))).toBe('The proof holds.');
    const amount = BigInt(answer.balance as string).toLocaleString('en-US');
    expect(await page.locator('[data-fact="Amount"]').innerText()).toBe(amount);
    expect(await page.locator('[data-fact="Slot"]').innerText()).toMatch(/^0x[0-9a-f]{64} \(solidity 0\)$/);
    expect(await check(JSON.stringify({ ...answer, balance: '1' }))).toBe(
      `Not proven: the answer states 1, the state of the block has ${String(answer.balance)}.`,
    );
    expect(await page.locator('#proven').isVisible()).toBe(false);
    expect(await check('{')).toBe('Not proven: the answer is not JSON.');
    const shares = await proveShares(
      { url: (await sharedDevchain(process.env)).url, block: BLOCK },
      TOKENS.steth.address,
      HOLDERS.bob,
    );
    expect(await check(JSON.stringify(shares))).toMatch(/^Not proven: the proof is of the holder’s shares/);
    await page.getByLabel(/check the shares, not the balance/).check();
    expect(await check(JSON.stringify(shares))).toMatch(
      /^The proof holds, for the shares alone: the balance, .* is not proven\.$/,
    );
    expect(await page.locator('[data-fact="Amount"]').innerText()).toBe(
      `${BigInt(shares.proof.shares!).toLocaleString('en-US')} shares`,
    );
    expect(await check(JSON.stringify(answer))).toMatch(/^Not proven: proof\.claim: expected slot-is-shares/);
    await page.getByLabel(/check the shares, not the balance/).uncheck();
    await page.getByLabel('Index of the token’s mapping').fill('7');
    expect(await check(JSON.stringify(answer))).toMatch(/^Not proven: .* at the given index and layout\.$/);
    await page.getByLabel('Index of the token’s mapping').fill('0');
    await page.getByLabel('Layout of the mapping').selectOption('Vyper');
    expect(await check(JSON.stringify(answer))).toMatch(/^Not proven: .* at the given index and layout\.$/);
    await page.getByLabel('Layout of the mapping').selectOption('Solidity');
    expect(await check(JSON.stringify(answer))).toBe('The proof holds.');
  });
});
