/** Snapshots of clients that read late, or never: what is held of their bodies, and when they end. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CHAIN, TOKENS } from '@hindsight/devchain/world.ts';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { runBalance, type RunningBalance } from './support/run-balance.ts';
import { askSnapshot, snapshotPath } from './support/snapshots.ts';

/** No address: each is refused without a node. Their answers are more than the buffers of all sockets on the way. */
const ROWS = 60_000;
const BODY = `${'x'.repeat(300)}\n`.repeat(ROWS);
const PATH = snapshotPath({ token_address: TOKENS.uni.address, block_height: String(CHAIN.head) });

let devchain: Devchain;
const running: RunningBalance[] = [];

beforeAll(async () => {
  devchain = await sharedDevchain(process.env);
});
afterAll(async () => {
  for (const balance of running) await balance.stop();
  await devchain.stop();
});

async function start(options: Parameters<typeof runBalance>[1]): Promise<string> {
  const balance = await runBalance(devchain.url, options);
  running.push(balance);
  return balance.url + PATH;
}

/** Sends all of the body before anything of the answer is read. */
function sendAll(url: string): { sent: ClientRequest; answer: Promise<IncomingMessage> } {
  const headers = { 'content-type': 'text/plain', 'content-length': BODY.length };
  const sent = request(url, { method: 'POST', headers, agent: false });
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', (response) => resolve(response.on('error', () => undefined))).on('error', reject);
  });
  answer.catch(() => undefined);
  sent.end(BODY);
  return { sent, answer };
}

async function readAll(answer: IncomingMessage): Promise<string> {
  let last = '';
  for await (const part of answer.setEncoding('utf8')) last = (last + (part as string)).slice(-1_000);
  return last;
}

describe('a snapshot', () => {
  it('is answered to a client that sends everything before it reads anything', async () => {
    const url = await start({});
    const { sent, answer } = sendAll(url);
    await until('all is sent', () => sent.writableFinished);
    expect(await readAll(await answer)).toContain(`{"record":"end","holders":${ROWS},"errors":${ROWS},`);
  });

  it('of several such clients is answered to each, though there is room for one body only', async () => {
    const url = await start({ bodyBytes: 20.5 * 1024 * 1024 });
    const answers = Array.from({ length: 3 }, async () => {
      const { sent, answer } = sendAll(url);
      await until('all is sent', () => sent.writableFinished || sent.destroyed);
      return readAll(await answer);
    });
    for (const answer of answers)
      expect(await answer).toContain(`{"record":"end","holders":${ROWS},"errors":${ROWS},`);
  });

  it('ends where its client neither sends nor takes anything, and the next is answered', async () => {
    const url = await start({ takenWithinMs: 500 });
    const { sent, answer } = sendAll(url);
    const closed = new Promise((resolve) => sent.once('close', resolve));
    expect((await answer).statusCode).toBe(200);
    await closed;
    const { records } = await askSnapshot(url, 'nobody\n'.repeat(10));
    expect(records.at(-1)).toMatchObject({ record: 'end', holders: 10 });
  });

  it('of a small body is answered while large ones have spent the budget', async () => {
    const url = await start({ bodyBytes: 1024 * 1024 });
    const unread = Array.from({ length: 3 }, () => sendAll(url));
    for (const { answer } of unread) await answer;
    const { records } = await askSnapshot(url, 'nobody\n'.repeat(10));
    expect(records.at(-1)).toMatchObject({ record: 'end', holders: 10 });
    expect(unread.map(({ sent }) => sent.writableFinished)).toEqual([false, false, false]);
    for (const { sent } of unread) sent.destroy();
  });

  it('waits for room where others hold all that is read, unless it is small', async () => {
    const url = await start({ windowBytes: 4_580 * 450 });
    const { sent } = sendAll(url);
    // It takes nothing: only after that is the rest of the body taken in.
    await until('all is sent', () => sent.writableFinished);
    let isAnswered = false;
    const waiting = askSnapshot(url, 'nobody\n'.repeat(600));
    const answered = waiting.then(() => (isAnswered = true));
    for (let small = 0; small < 5; small++) {
      const { records } = await askSnapshot(url, 'nobody\n'.repeat(500));
      expect(records.at(-1)).toMatchObject({ record: 'end', holders: 500 });
    }
    expect(isAnswered).toBe(false);
    sent.destroy();
    await answered;
    expect((await waiting).records.at(-1)).toMatchObject({ record: 'end', holders: 600 });
  });

  it('of blank lines is refused: before it begins, or without an end', async () => {
    const url = await start({});
    const blank = '\n'.repeat(1024 * 1024);
    const refused = await askSnapshot(url, blank);
    expect(refused.status).toBe(400);
    expect(refused.records[0]).toMatchObject({
      code: 'invalid_body',
      message: 'body: it begins with more than 1000 blank lines; expected one holder a line',
    });
    const { status, records } = await askSnapshot(url, `nobody\nnobody\n${blank}nobody\n`);
    expect(status).toBe(200);
    expect(records.slice(1).map(({ record, line }) => [record, line])).toEqual([
      ['error', 1],
      ['error', 2],
      ['error', 1_005],
    ]);
    expect(records.at(-1)).toMatchObject({
      error: {
        code: 'body_too_large',
        message: 'body: it has more than 1000 blank lines, besides one for each row; the rest is not read',
      },
    });
  });

  it('of CSV reads a row over the line ends in its quotes, and sums no line of a note', async () => {
    const url = await start({});
    const [one, other] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`];
    const body = `holder,note\n${one},"moved from\n${other}, see ticket"\n${one},x\n`;
    const { records } = await askSnapshot(url, body, { 'content-type': 'text/csv' });
    expect(records.slice(1).map(({ record, line, holders }) => [record, line ?? holders])).toEqual([
      ['balance', 3],
      ['balance', 4],
      ['end', 2],
    ]);
  });

  it.each([
    ['nested lists', `${'['.repeat(2_000)}${']'.repeat(2_000)}`, 'expected a JSON string, or an object'],
    [
      'an object of 350 fields',
      JSON.stringify(
        Object.fromEntries(
          Array(350)
            .fill(0)
            .map((_, i) => [i, i]),
        ),
      ),
      'the line has more than 100 values',
    ],
    ['an object of nested lists', `{"holder":${'['.repeat(200)}`, 'the line has more than 100 values'],
    ['a holder of 513 characters', `"${'x'.repeat(513)}"`, 'it is longer than 512 characters'],
  ])('of NDJSON refuses a row of %s unparsed', async (_what, row, message) => {
    const url = await start({});
    const { records } = await askSnapshot(url, `${row}\n"nobody"`, {
      'content-type': 'application/x-ndjson',
    });
    expect(records[1]).toMatchObject({
      line: 1,
      error: { message: expect.stringContaining(`holder: ${message}`) },
    });
    expect(records.at(-1)).toMatchObject({ record: 'end', holders: 2, errors: 2 });
  });
});
