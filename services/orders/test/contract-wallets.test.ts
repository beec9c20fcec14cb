/** Orders that only their swapper's contract can confirm (ERC-1271), with and without a node that answers. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { startEmptyChain } from '@hindsight/devchain/anvil.ts';
import { openDoor, type Door } from './support/door.ts';
import { signedOrders, type SignedOrder } from './support/fixtures.ts';
import { measured } from './support/measured.ts';
import { runOrders, type RunningOrders } from './support/run-orders.ts';
import { APPROVES_ALL, APPROVES_NONE, approvesOnly, REVERTS, setCode } from './support/wallets.ts';

const SENDER_WAITS_MS = 200;

const chain = forAllTests(() => startEmptyChain(), 'stop');

const all = signedOrders();
const post = (orders: RunningOrders, { network, body }: SignedOrder) =>
  orders.post(`/v1/${network}/orders/dex-webhook`, JSON.stringify(body));

describe('the order of a contract wallet', () => {
  const signed = all.find(({ erc1271 }) => erc1271)!;
  const wallet = signed.erc1271!.wallet;
  let orders: RunningOrders;

  beforeEach(async () => {
    orders = await runOrders(chain.url);
    orders.setTime(signed.validAt * 1000);
  });
  afterEach(() => orders.stop());

  it('is accepted when the contract confirms exactly this order', async () => {
    await setCode(chain.url, wallet, approvesOnly(signed.digest));
    expect(await post(orders, signed)).toMatchObject({ status: 201, body: { duplicate: false } });
    const [event] = await orders.published(1);
    expect(event!.data.orderHash).toBe(signed.body.orderHash);
  });

  it('is accepted from a wallet that is newer than the remembered head', async () => {
    await setCode(chain.url, wallet, '0x');
    expect(await post(orders, signed)).toMatchObject({ status: 422 });
    // The service's clock stands still, so that its head does not age. The first block closes the state that it is of.
    await setCode(chain.url, `0x${'5'.repeat(40)}`, '0x');
    await setCode(chain.url, wallet, APPROVES_ALL);
    expect(await post(orders, signed)).toMatchObject({ status: 201, body: { duplicate: false } });
  });

  it.each([
    ['returns something else', APPROVES_NONE],
    ['confirms another order only', approvesOnly(`0x${'12'.repeat(32)}`)],
    ['reverts', REVERTS],
    ['returns nothing', '0x00'],
    ['burns all gas', '0x5b600056'],
    ['does not exist', '0x'],
  ])('is refused when the contract %s', async (_, code) => {
    await setCode(chain.url, wallet, code);
    expect(await post(orders, signed)).toMatchObject({
      status: 422,
      body: { message: expect.stringMatching(/^signature: /) },
    });
    expect(await orders.metrics()).toMatch(/orders_refused_total\{reason="(?:contract-)?signature"/);
  });
});

describe('an order that an account with code has signed with its key', () => {
  const signed = all.find(({ body }) => body.type === 'Dutch_V2' && body.chainId === 1)!;
  const account = signed.body.offerer;
  let orders: RunningOrders;

  beforeEach(async () => {
    orders = await runOrders(chain.url);
    orders.setTime(signed.validAt * 1000);
  });
  afterEach(async () => {
    await orders.stop();
    await setCode(chain.url, account, '0x');
  });

  it('is refused when the code does not confirm it: Permit2 would ignore the key', async () => {
    await setCode(chain.url, account, APPROVES_NONE);
    expect(await post(orders, signed)).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('does not confirm it (ERC-1271)') },
    });
  });

  it('is accepted when the code confirms it, and when there is no code', async () => {
    await setCode(chain.url, account, APPROVES_ALL);
    expect(await post(orders, signed)).toMatchObject({ status: 201, body: { duplicate: false } });
    await setCode(chain.url, account, '0x');
    expect(await post(orders, signed)).toMatchObject({ status: 201, body: { duplicate: true } });
  });
});

describe('the order of a contract wallet, while no node answers', () => {
  const signed = all.find(({ erc1271 }) => erc1271)!;
  const wallet = signed.erc1271!.wallet;
  let orders: RunningOrders;
  let door: Door;

  beforeEach(async () => {
    door = await openDoor(chain.url);
    orders = await runOrders(door.url, { ticking: true, quickWallets: true });
    orders.setTime(signed.validAt * 1000);
  });
  afterEach(async () => {
    await orders.stop();
    await door.close();
  });

  it.each(['shut', 'hanging'] as const)(
    'is accepted as pending, and published once it is verified (%s)',
    async (how) => {
      await setCode(chain.url, wallet, APPROVES_ALL);
      door.state = how;
      const answer = await measured(() => post(orders, signed), { answeredMs: SENDER_WAITS_MS });
      expect(answer).toMatchObject({ status: 201, body: { duplicate: false, pending: true } });
      expect(answer.milliseconds).toBeLessThan(SENDER_WAITS_MS);
      expect(await post(orders, signed)).toMatchObject({
        status: 201,
        body: { duplicate: true, pending: true },
      });
      // Orders of plain accounts need no node.
      const [plain] = all.filter(({ body }) => body.type === 'Dutch_V3');
      expect(await post(orders, plain!)).toMatchObject({ status: 201, body: { duplicate: false } });
      expect((await orders.published(1)).map(({ id }) => id)).toEqual([`1:${plain!.body.orderHash}`]);
      door.state = 'open';
      orders.setTime(signed.validAt * 1000 + 60_000);
      expect((await orders.published(2))[1]).toMatchObject({ id: `1:${signed.body.orderHash}` });
      const later = await post(orders, signed);
      expect(later).toMatchObject({ status: 201, body: { duplicate: true } });
      expect(later.body).not.toHaveProperty('pending');
    },
  );

  it('is dead-lettered with the reason, and never published, when its contract refuses it', async () => {
    await setCode(chain.url, wallet, APPROVES_NONE);
    door.state = 'shut';
    expect(await post(orders, signed)).toMatchObject({ status: 201, body: { pending: true } });
    door.state = 'open';
    const [deadLetter] = await orders.deadLetters(1);
    expect(deadLetter).toMatchObject({
      group: 'orders',
      reason: expect.stringContaining('does not confirm'),
    });
    expect(deadLetter!.headers).toMatchObject({
      ce_id: `1:${signed.body.orderHash}`,
      ce_type: 'order-unproven',
    });
    expect(await orders.published(0)).toEqual([]);
  });

  it('is dead-lettered when its contract could not be asked before its deadline', async () => {
    door.state = 'shut';
    expect(await post(orders, signed)).toMatchObject({ status: 201, body: { pending: true } });
    orders.setTime(Date.UTC(2100, 0, 2));
    const [deadLetter] = await orders.deadLetters(1);
    expect(deadLetter!.reason).toContain('deadline');
    expect(await orders.published(0)).toEqual([]);
  });

  it('is not blocked by a forged claim', async () => {
    const plain = all.find(({ title }) => title.startsWith('Dutch_V2 exclusive'))!;
    const forged = `0x${'11'.repeat(64)}1b`;
    door.state = 'shut';
    const claim = await post(orders, { ...plain, body: { ...plain.body, signature: forged } });
    expect(claim).toMatchObject({ status: 201, body: { pending: true } });
    expect(await post(orders, plain)).toMatchObject({ status: 201, body: { duplicate: false } });
    const [event] = await orders.published(1);
    expect(event!.data.payload.signature).toBe(plain.body.signature);
    door.state = 'open';
    expect((await orders.deadLetters(1))[0]!.reason).toContain('no contract');
    expect(await orders.published(1)).toHaveLength(1);
  });
});
