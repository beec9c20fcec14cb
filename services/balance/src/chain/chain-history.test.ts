import { expect, it } from '@jest/globals';
import { CHAIN, HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { DateSearch } from '@hindsight/chain/dates/date-search.ts';
import { NameResolver } from '@hindsight/chain/ens/name-resolver.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { nodeOnDevchain } from '../../test/support/on-devchain.ts';
import { EtherLogs } from '@hindsight/chain/logs/ether-logs.ts';
import { LogSearch } from '@hindsight/chain/logs/log-search.ts';
import { KnownBlocks } from '@hindsight/chain/state/known-blocks.ts';
import { ETH_MAINNET as network } from '@hindsight/chain/networks.ts';
import { ChainReader } from '@hindsight/chain/state/reader.ts';
import { TokenReader } from './token-reader.ts';
import { TokenRowReader } from './token-rows.ts';
import { WalletReader } from './wallet-reader.ts';
import { systemClock as clock } from '@hindsight/kernel/clock.ts';
import { balanceSingle } from '../views/balance-single.ts';
import { createHistory } from './chain-history.ts';
import { ProofReader } from './proof-reader.ts';

const node = forAllTests(nodeOnDevchain, 'close');

it('a block that becomes final while it is read is marked final in the immutable answer', async () => {
  const known = new KnownBlocks(clock);
  const reader = new ChainReader({ node, network, clock, known });
  const tokens = new TokenReader(reader, network);
  const height = CHAIN.head - 5;
  const logs = new LogSearch({ node, known, clock });
  const names = new NameResolver({ reader, network });
  const history = createHistory({
    network,
    reader,
    proofs: new ProofReader(node),
    names,
    feeds: [],
    deadlineMs: 60_000,
    wallets: new WalletReader({
      reader,
      rows: new TokenRowReader(reader, network),
      logs,
      deadlineMs: 60_000,
    }),
    logs,
    etherLogs: new EtherLogs({ node, network, known }),
    dates: new DateSearch({ node, clock, known }),
    // In between, another question finds the finalized height.
    tokens: Object.assign(Object.create(tokens) as TokenReader, {
      async read(...question: Parameters<TokenReader['read']>) {
        const reading = await tokens.read(...question);
        known.learnFinalized({ ...reading.block, number: height + 1 }, CHAIN.head);
        return reading;
      },
    }),
  });
  const never = new AbortController().signal;
  const asked = { token_address: TOKENS.usdc.address, holder: { address: HOLDERS.alice } };
  const reading = await history.read({ asked, when: { height } }, balanceSingle.read, never);
  expect(reading).toMatchObject({ lasting: true, answer: { checked_at_block: height, finalized: true } });
});
