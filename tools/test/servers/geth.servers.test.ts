import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { parseEther, Wallet } from 'ethers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type GethServer, startGeth } from '../../servers/geth.ts';
import { describeOnServers } from '../../servers/suite.ts';

/** More blocks than a full node keeps the state of. That an archive keeps as many is shown by tests/truth. */
const BLOCKS = { archive: 20, full: 140 };
const LOOK_EVERY_MS = 10;
const INDEXED_WITHIN_MS = 600_000;
const RECEIVER = '0x00000000000000000000000000000000000000aa';

/** Makes `count` blocks, each with one payment of one ether to the receiver, by a wallet that has paid nothing before. */
async function pay(
  { url, chainId = 1 }: { url: string; chainId?: number },
  wallet: Wallet,
  count: number,
): Promise<void> {
  const fees = { type: 2, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n, gasLimit: 21_000n };
  const payment = { chainId, to: RECEIVER, value: parseEther('1'), ...fees };
  for (let nonce = 0; nonce < count; nonce++) {
    // Not sent by the library: it recovers the signer of each, which takes longer than the rest.
    const { result: hash, error } = await ask(
      url,
      'eth_sendRawTransaction',
      await wallet.signTransaction({ ...payment, nonce }),
    );
    if (typeof hash !== 'string') throw new Error(error?.message);
    while (!(await isMined(url, hash))) await sleep(LOOK_EVERY_MS);
  }
}

async function isMined(url: string, hash: string): Promise<boolean> {
  const { result, error } = await ask(url, 'eth_getTransactionReceipt', hash);
  // A young node on a busy machine may not have looked through its newest blocks yet.
  if (error !== undefined && !error.message.includes('indexing is in progress'))
    throw new Error(error.message);
  return result !== undefined && result !== null;
}

interface Answer {
  readonly result?: string | null;
  readonly error?: { readonly message: string };
}

async function ask(url: string, method: string, ...params: unknown[]): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'accept-encoding': 'identity', connection: 'close' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return (await response.json()) as Answer;
}

/** Asks until there is no error: indexes of the past follow the head, on a busy machine by seconds. */
async function askOnceIndexed(url: string, method: string, ...params: unknown[]): Promise<Answer> {
  const until = Date.now() + INDEXED_WITHIN_MS;
  for (;;) {
    const answer = await ask(url, method, ...params);
    if (answer.error === undefined || Date.now() > until) return answer;
    await sleep(100);
  }
}

await describeOnServers('geth, started natively', { env: process.env, own: ['geth-1.17'] }, () => {
  const wallet = Wallet.createRandom();
  let archive: GethServer;
  let full: GethServer;

  beforeAll(async () => {
    const payer = new Wallet(wallet.privateKey);
    const funded = [payer.address];
    [archive, full] = await Promise.all([
      startGeth({ funded }),
      startGeth({ funded, history: 'full', chainId: 1337 }),
    ]);
    await Promise.all([
      pay(archive, payer, BLOCKS.archive),
      pay({ url: full.url, chainId: 1337 }, payer, BLOCKS.full),
    ]);
  });
  afterAll(() => Promise.all([archive.stop(), full.stop()]));

  it('has the chain id asked for, that of mainnet by default', async () => {
    expect(await ask(archive.url, 'eth_chainId')).toMatchObject({ result: '0x1' });
    expect(await ask(full.url, 'eth_chainId')).toMatchObject({ result: '0x539' });
  });

  it('makes a block for each transaction', async () => {
    // A busy geth now and then adds an empty one.
    const { result } = (await ask(archive.url, 'eth_blockNumber')) as { result: string };
    expect(Number(result)).toBeGreaterThanOrEqual(BLOCKS.archive);
  });

  it('knows every past state as an archive', async () => {
    const { result: head } = (await ask(archive.url, 'eth_blockNumber')) as { result: string };
    const heights = Array.from({ length: Number(head) + 1 }, (_, height) => `0x${height.toString(16)}`);
    const answers = await Promise.all(heights.map((at) => ask(archive.url, 'eth_getBalance', RECEIVER, at)));
    const seen = [...new Set(answers.map(({ result }) => result))];
    const paid = Array.from(
      { length: BLOCKS.archive + 1 },
      (_, n) => `0x${(BigInt(n) * 10n ** 18n).toString(16)}`,
    );
    expect(seen).toEqual(paid);
  });

  it('has forgotten old states as a full node, and says so', async () => {
    const { result, error } = await ask(full.url, 'eth_getBalance', RECEIVER, '0x3');
    expect(result).toBeUndefined();
    expect(error?.message).toMatch(/historical state .* is not available/);
  });

  it('keeps its chain over a restart', async () => {
    const before = await ask(archive.url, 'eth_getBlockByNumber', '0x5', false);
    await archive.restart();
    expect(await ask(archive.url, 'eth_getBlockByNumber', '0x5', false)).toEqual(before);
  });
});

await describeOnServers(
  'geth, an archive by path before any fork',
  { env: process.env, own: ['geth-1.17'] },
  () => {
    let node: GethServer;
    afterAll(() => node?.stop());

    it('knows every past state, with its proof', async () => {
      const wallet = Wallet.createRandom();
      const funded = [wallet.address];
      node = await startGeth({ stateScheme: 'path', funded });
      await pay(node, new Wallet(wallet.privateKey), BLOCKS.full);
      for (const height of ['0x1', '0x2', '0x3']) {
        const { result, error } = await askOnceIndexed(node.url, 'eth_getBalance', RECEIVER, height);
        expect([result, error]).toEqual([expect.stringMatching(/^0x/), undefined]);
        const proof = await askOnceIndexed(node.url, 'eth_getProof', RECEIVER, [], height);
        expect(proof.result).toMatchObject({ balance: result });
      }
    });
  },
);

await describeOnServers('geth with a scheduled fork', { env: process.env, own: ['geth-1.17'] }, () => {
  const AMSTERDAM_AT = 3;
  /** Holds what transfers of ether log from the fork on (EIP-7708). */
  const ETHER_LOGS = '0xfffffffffffffffffffffffffffffffffffffffe';
  let node: GethServer;

  beforeAll(async () => {
    const wallet = Wallet.createRandom();
    node = await startGeth({
      stateScheme: 'path',
      amsterdamAt: AMSTERDAM_AT,
      gasCap: 1_000_000,
      funded: [wallet.address],
    });
    await pay(node, new Wallet(wallet.privateKey), 5);
  });
  afterAll(() => node?.stop());

  const quantity = (height: number): string => `0x${height.toString(16)}`;
  async function transfersAt(height: number): Promise<unknown[]> {
    const range = { fromBlock: quantity(height), toBlock: quantity(height), address: ETHER_LOGS };
    return (await ask(node.url, 'eth_getLogs', range)).result as unknown as unknown[];
  }

  it('has the rules of the fork from the height asked for, and not before', async () => {
    for (const height of [1, 2, 3, 4, 5]) {
      const { result } = await ask(node.url, 'eth_getBlockByNumber', quantity(height), false);
      const isForked = height >= AMSTERDAM_AT;
      expect([height, 'blockAccessListHash' in (result as unknown as object)]).toEqual([height, isForked]);
      // The node may seal a block without a payment.
      const payments = (result as unknown as { transactions: unknown[] }).transactions.length;
      expect([height, (await transfersAt(height)).length]).toEqual([height, isForked ? payments : 0]);
    }
  });

  it('proves the state of past blocks as an archive by path', async () => {
    let paid = 0n;
    for (const height of [1, 2, 3, 4, 5]) {
      const { result: block } = await ask(node.url, 'eth_getBlockByNumber', quantity(height), false);
      paid += BigInt((block as unknown as { transactions: unknown[] }).transactions.length) * parseEther('1');
      const { result } = await ask(node.url, 'eth_getProof', RECEIVER, [], quantity(height));
      expect(result).toMatchObject({ balance: `0x${paid.toString(16)}` });
    }
    expect(paid).toBeGreaterThan(0n);
  });

  it('lets a call use the gas asked for and no more', async () => {
    // GAS PUSH1 0 MSTORE PUSH1 32 PUSH1 0 RETURN
    const { result } = await ask(node.url, 'eth_call', { data: '0x5a60005260206000f3' }, 'latest');
    expect(Number(result)).toBeLessThan(1_000_000);
    expect(Number(result)).toBeGreaterThan(100_000);
  });
});
