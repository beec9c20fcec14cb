/** Troubles of a node that do not show in the list. */
import { expect, it } from '@jest/globals';
import { rangeAsked, type NodeInFront, type Rules } from '../support/node-in-front.ts';
import type { TokensService } from '../support/tokens-service.ts';

/** Of nodes that hang. */
const IMPATIENCE_MS = 400;

/** Starts a tokens service behind a node with these rules. */
type Start = (rules?: Rules, timeoutMs?: number) => Promise<TokensService>;
/** The service comes to list everything on the chain. */
type Expect = (service: TokensService) => Promise<void>;

/** Nodes that allow smaller requests than usual. */
export function describeLimits(node: () => NodeInFront, start: Start, expectWhole: Expect): void {
  const refusal = (message: string, code = -32_000): { error: { code: number; message: string } } => ({
    error: { code, message },
  });

  it('allows few blocks at a time', async () => {
    const rule: Rules['call'] = (call) =>
      (rangeAsked(call)?.blocks ?? 0) > 5
        ? refusal('eth_getLogs is limited to a 5 range', -32_614)
        : undefined;
    await expectWhole(await start({ call: rule }));
    const asked = node()
      .calls.map(rangeAsked)
      .filter((range) => range !== null);
    // A limit that the node has stated once must not be met again for every range.
    expect(asked.filter(({ blocks }) => blocks > 5).length).toBeLessThan(asked.length / 3);
  });

  it('proposes ranges', async () => {
    await expectWhole(
      await start({
        call: (call) => {
          const range = rangeAsked(call);
          if (range === null || range.blocks <= 7) return undefined;
          const proposed = `[0x${range.from.toString(16)}, 0x${(range.from + 6).toString(16)}]`;
          return refusal(`Log response size exceeded. … this block range should work: ${proposed}`, -32_602);
        },
      }),
    );
  });

  it('answers that there are too many results, with the code of a rate limit', async () => {
    await expectWhole(
      await start({
        call: (call) =>
          (rangeAsked(call)?.blocks ?? 0) > 3
            ? refusal('query returned more than 10000 results', -32_005)
            : undefined,
      }),
    );
  });

  it('refuses a question to a contract that wants much gas at first', async () => {
    let asked = 0;
    await expectWhole(
      await start({
        call: ({ method, params }) => {
          const isMuch = method === 'eth_call' && (params[0] as { gas?: string }).gas !== undefined;
          return isMuch && ++asked === 1 ? refusal('the gas is above the cap') : undefined;
        },
      }),
    );
    expect(asked).toBeGreaterThan(1);
  });

  it('takes too long for many blocks', async () => {
    await expectWhole(
      await start({
        call: (call) =>
          (rangeAsked(call)?.blocks ?? 0) > 9 ? refusal('query timeout exceeded', -32_000) : undefined,
      }),
    );
  });
}

/** Nodes that fail now and then. */
export function describeSickness(start: Start, expectWhole: Expect): void {
  it('hangs, drops, refuses and is busy, every tenth time', async () => {
    const ills = ['hang', 'drop', { status: 500 }, { status: 429 }, { status: 503 }] as const;
    const rules: Rules = { fate: (n) => (n % 10 === 0 ? ills[(n / 10) % ills.length]! : 'answer') };
    await expectWhole(await start(rules, IMPATIENCE_MS));
  });

  it('refuses calls of many contracts at once', async () => {
    let refused = 0;
    await expectWhole(
      await start({
        call: ({ method, params }) => {
          if (method !== 'eth_call' || JSON.stringify(params).length <= 10_000) return undefined;
          refused += 1;
          return { error: { code: -32_000, message: 'out of gas' } };
        },
      }),
    );
    expect(refused).toBeGreaterThan(0);
  });

  it('says that it is a few blocks behind now and then', async () => {
    let n = 0;
    await expectWhole(
      await start({
        result: ({ method }, result) =>
          method === 'eth_getBlockByNumber' && ++n % 4 === 0 && n < 60 ? null : result,
      }),
    );
  });
}
