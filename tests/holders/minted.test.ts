/** Tokens that their owners got by another event than a transfer, and that have not moved since. */
import { beforeAll, expect, it } from '@jest/globals';
import { CRYPTO_PUNKS } from '@hindsight/chain/networks.ts';
import { TOPICS } from '@hindsight/chain/tokens/token-events.ts';
import { ask as askNode } from '@hindsight/devchain/client.ts';
import { mine, sendAndMine } from '@hindsight/devchain/control.ts';
import { startDevchain } from '@hindsight/devchain/devchain.ts';
import { HOLDERS } from '@hindsight/devchain/world.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { getAddress, ZeroAddress } from 'ethers';
import { runBalance } from '../../services/balance/test/support/run-balance.ts';
import { HolderWorld } from './support/holder-world.ts';

const OWNER = getAddress(`0x${'3c'.repeat(20)}`);
const OWNER_WORD = `73${OWNER.slice(2)}`;
/** Init code that says that ids 1 to 5 are the owner's from now on. */
const RANGE = `0x60055f52${OWNER_WORD}5f60017f${TOPICS.consecutive.slice(2)}60205fa460015ff3`;
const MINT = `0x60055f52${OWNER_WORD}7f${TOPICS.mint.slice(2)}60205fa260015ff3`;
const RETURN_TOP = '5f5260205ff3';
/** Runtime code of an ERC-721 with ERC-165, `balanceOf` and `totalSupply`. */
const CODE = [
  '0x5f3560e01c806301ffc9a71461002957806370a082311461004557806318160ddd14610068575f5ffd',
  `5b60043560e01c806380ac58cd14906301ffc9a71417${RETURN_TOP}`,
  `5b600435${OWNER_WORD}14600502${RETURN_TOP}`,
  `5b6005${RETURN_TOP}`,
].join('');
const PUNKS = getAddress(CRYPTO_PUNKS);
const ASSIGN = `0x60075f52${OWNER_WORD}7f${TOPICS.assign.slice(2)}60205fa200`;
/** The index has blocks once they are finalized. */
const FINALITY = 80;

const chain = forAllTests(startDevchain, 'stop');
const balance = forAllTests(() => runBalance(chain.url), 'stop');
const world = forAllTests(HolderWorld.onDevchain, 'close');
let app: HttpServer;
const tokens: string[] = [];

async function deploy(data: string): Promise<void> {
  const { contractAddress } = await sendAndMine(chain.url, { from: HOLDERS.alice, data });
  await askNode(chain.url, 'anvil_setCode', contractAddress, CODE);
  tokens.push(getAddress(contractAddress));
}

async function assignPunk(): Promise<void> {
  await askNode(chain.url, 'anvil_setCode', PUNKS, ASSIGN);
  await sendAndMine(chain.url, { from: HOLDERS.alice, to: PUNKS, data: '0x' });
  await askNode(chain.url, 'anvil_setCode', PUNKS, CODE);
  tokens.push(PUNKS);
}

beforeAll(async () => {
  await deploy(RANGE);
  await assignPunk();
  await deploy(MINT);
  for (let i = 0; i < FINALITY; i++) await mine(chain.url);
  await deploy(RANGE);
  await mine(chain.url);
  app = await world.start({ nodeUrl: chain.url, balanceUrl: balance.url });
});

async function ask(path: string): Promise<string> {
  const { statusCode, payload } = await app.inject({ url: `/v1/eth-mainnet/${path}` });
  expect([statusCode, payload]).toEqual([200, expect.any(String)]);
  return payload;
}

it.each([
  ['minted as a range (ERC-2309)', 0],
  ['assigned, as CryptoPunks', 1],
  ['minted by an event of its own, as MKR', 2],
  ['minted as a range, in a block that the index lacks', 3],
])('of what was %s, the owner is a holder', async (_how, i) => {
  const lines = (await ask(`token/holders?token_address=${tokens[i]!}`)).trimEnd().split('\n');
  const [facts, holder, end] = lines.map((line) => JSON.parse(line) as object);
  expect(facts).toMatchObject({ index: { complete: true } });
  expect(holder).toMatchObject({ holder: OWNER, balance: '5' });
  expect(end).toMatchObject({ holders: 1, sum: '5', total_supply: '5' });
});

it('NFTs are rows of the transfers, of the token and of the owner', async () => {
  const row = (token: string) => ({
    ...{ token_address: token, from: ZeroAddress, to: OWNER },
    ...(token === PUNKS
      ? { event: 'assign', amount: '1', token_id: '7', last_token_id: null }
      : { event: 'consecutive_transfer', amount: null, token_id: '1', last_token_id: '5' }),
  });
  const ofOwner = JSON.parse(await ask(`transfers?holder=${OWNER}&order=oldest`)) as object;
  expect(ofOwner).toMatchObject({ transfers: [tokens[0]!, PUNKS, tokens[3]!].map(row), next: null });
  const ofToken = JSON.parse(await ask(`transfers?token_address=${tokens[0]!}`)) as object;
  expect(ofToken).toMatchObject({ transfers: [row(tokens[0]!)] });
});

it('they are in the owner’s portfolio, which searches logs', async () => {
  const { body } = await balance.ask(`/v1/eth-mainnet/portfolio?holder=${OWNER}`);
  expect(body).toMatchObject({ asked: { unread: [], complete: true } });
  const held = body.tokens as { token_address: string; balance: string }[];
  expect(held.map(({ token_address: token, balance: units }) => [token, units]).sort()).toEqual(
    tokens.map((token) => [token, '5']).sort(),
  );
});
