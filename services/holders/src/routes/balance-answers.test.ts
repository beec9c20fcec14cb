import { expect, it } from '@jest/globals';
import type { OtherService } from '@hindsight/http/other-service.ts';
import { ERROR_CASES, type ErrorCode } from '@hindsight/kernel/error-codes.ts';
import { BalanceQuestions } from './balance-answers.ts';

const TOKEN = `0x${'1a'.repeat(20)}`;
const { signal } = new AbortController();

/** The balance service, with the supply or the error of each block. */
function withSupplies(supplies: Readonly<Record<string, string>>): OtherService {
  const answerTo = (path: string) => {
    const said = supplies[new URLSearchParams(path.split('?')[1]).get('block_height')!]!;
    if (!(said in ERROR_CASES)) return { status: 200, text: JSON.stringify({ total_supply: said }) };
    const code = said as ErrorCode;
    return { status: ERROR_CASES[code].status, text: JSON.stringify({ code, message: said }) };
  };
  const ask: OtherService['ask'] = async ({ path }) => {
    const { status, text } = answerTo(path);
    const body = async function* () {
      yield text;
    };
    return { status, body: body(), retryAfter: undefined };
  };
  return { ask };
}

it.each<[string, before: string, first: string, ofHolders: boolean, ofTransfers?: boolean]>([
  ['that is made and minted in the first block', 'no_contract', '5', true],
  ['that mints in the first block, the first or after it had burnt all', '0', '5', true, false],
  ['whose supply is burnt in the first block', '5', '0', false],
  ['that is destroyed in the first block', '5', 'no_contract', false],
  ['without supply, where the block before is pruned', 'state_unavailable', '0', true, false],
  ['with supply, where no node has the block before', 'block_unavailable', '5', false],
  ['that is made later than the first block of the network', 'invalid_parameter', 'no_contract', true],
  ['of which nodes have neither block', 'state_unavailable', 'state_unavailable', false],
])(
  'an index has all of a token %s: %s, then %s',
  async (_what, before, first, ofHolders, ofTransfers = ofHolders) => {
    const questions = new BalanceQuestions(withSupplies({ 9: before, 10: first }), 'eth-mainnet');
    expect(await questions.hadNone(TOKEN, 10, signal)).toBe(ofHolders);
    expect(await questions.didNotExist(TOKEN, 10, signal)).toBe(ofTransfers);
  },
);

it('nodes that have not reached the first block of an index decide nothing for good', async () => {
  const supplies: Record<string, string> = { 9: 'block_above_head', 10: 'block_above_head' };
  const questions = new BalanceQuestions(withSupplies(supplies), 'eth-mainnet');
  expect(await questions.hadNone(TOKEN, 10, signal)).toBe(false);
  supplies[9] = 'no_contract';
  expect(await questions.hadNone(TOKEN, 10, signal)).toBe(true);
});
