import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startDevchain, type Devchain } from '@hindsight/devchain/devchain.ts';
import { CHAIN, HOLDERS } from '@hindsight/devchain/world.ts';
import { AbiCoder, concat, dnsEncode, keccak256, ZeroAddress } from 'ethers';
import { generate } from 'selfsigned';
import { carriedJsonRpc } from '../../../test/support/carried-json-rpc.ts';
import { NETWORKS } from '../../networks.ts';
import type { EthereumNode } from '../../rpc/node.ts';
import { ChainReader } from '../../state/reader.ts';
import { createCcipGateways } from './gateways.ts';
import { NameResolver } from '../name-resolver.ts';
import { followReferral, isReferral, readReferral, type CcipGateways } from './offchain.ts';
import {
  startGateway,
  type Answering,
  type GatewayServer,
} from '../../../test/ens/support/gateway-server.ts';
import { Registrar } from '../../../test/ens/support/registrar.ts';

const MAINNET = NETWORKS.get('eth-mainnet')!;
const HOST = 'gateway.example.com';
const TEMPLATE = `https://${HOST}/{sender}/{data}`;
const ABI = AbiCoder.defaultAbiCoder();

let chain: Devchain;
let node: EthereumNode;
let registrar: Registrar;
let keys: { cert: string; key: string };
let requests = 0;
beforeAll(async () => {
  chain = await startDevchain();
  registrar = new Registrar(chain.url);
  const direct = carriedJsonRpc({ url: chain.url });
  node = { ...direct, send: (calls, options) => ((requests += 1), direct.send(calls, options)) };
  const extensions = [{ name: 'subjectAltName' as const, altNames: [{ type: 2 as const, value: HOST }] }];
  const made = await generate([{ name: 'commonName', value: HOST }], { extensions, algorithm: 'sha256' });
  keys = { cert: made.cert, key: made.private };
  await refer('referring.eth', 1);
});
afterAll(async () => {
  await registrar.close();
  await node.close();
  await chain.stop();
});

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  for (const close of closers.splice(0).reverse()) await close();
});

/** Registers a name whose resolver refers this often, under its own or another contract's address. */
async function refer(name: string, times: number, sender: string = ZeroAddress): Promise<string> {
  const resolver = await registrar.deploy('ReferringResolver', [[TEMPLATE], sender, times]);
  await registrar.register(name, resolver);
  return resolver;
}

/** The answer of an honest gateway: every name is carol’s. */
const honest: Answering = (response, request) => {
  const wire = request.url!.split('/')[2]!;
  const seal = keccak256(ABI.encode(['address', 'bytes'], [HOLDERS.carol, wire]));
  response.end(JSON.stringify({ data: ABI.encode(['address', 'bytes32'], [HOLDERS.carol, seal]) }));
};

async function setUp(answering: Answering): Promise<{ names: NameResolver; gateway: GatewayServer }> {
  const gateway = await startGateway(keys, answering);
  closers.push(() => gateway.close());
  const lookup = async (): Promise<string[]> => ['93.184.216.34'];
  const gateways = createCcipGateways({
    hosts: [HOST],
    lookup,
    dial: gateway.dial,
    ca: keys.cert,
    timeoutMs: 60_000,
  });
  closers.push(() => gateways.close());
  const reader = new ChainReader({ node, network: MAINNET, clock: { now: () => Date.now() } });
  return { names: new NameResolver({ reader, network: MAINNET, gateways }), gateway };
}

describe('a name that is kept off-chain', () => {
  it('comes from the gateway that its resolver refers to', async () => {
    const { names, gateway } = await setUp(honest);
    requests = 0;
    expect(await names.resolve('referring.eth', 'latest')).toMatchObject({
      address: HOLDERS.carol,
      name: 'referring.eth',
      offchain: true,
    });
    expect(requests).toBe(3);
    expect(gateway.questions).toEqual([expect.stringContaining(`/${dnsEncode('referring.eth')}`)]);
  });

  it('is found for the names below it, and never remembered', async () => {
    const { names, gateway } = await setUp(honest);
    for (let time = 1; time <= 2; time++) {
      expect((await names.resolve('a.b.referring.eth', CHAIN.head + 2)).address).toBe(HOLDERS.carol);
      expect(gateway.questions).toHaveLength(time);
    }
  });

  it('has no address at a height at which it was not registered', async () => {
    const { names, gateway } = await setUp(honest);
    expect((await names.resolve('referring.eth', CHAIN.head)).address).toBeNull();
    expect(gateway.questions).toEqual([]);
  });

  it('is an error when the gateway lies', async () => {
    const { names } = await setUp((response) =>
      response.end(JSON.stringify({ data: ABI.encode(['address', 'uint256'], [HOLDERS.mallory, 1]) })),
    );
    await expect(names.resolve('referring.eth', 'latest')).rejects.toMatchObject({
      name: 'GatewayError',
      message: expect.stringContaining('rejected what its gateway said'),
    });
  });

  it('is an error when the gateway returns more than can be passed to the callback', async () => {
    const { names } = await setUp((response) => response.end(`{"data":"0x${'00'.repeat(48_500)}"}`));
    await expect(names.resolve('referring.eth', 'latest')).rejects.toMatchObject({
      name: 'GatewayError',
      message: expect.stringContaining('said too much'),
    });
  });

  it('may take several referrals, but only a limited number', async () => {
    await refer('thrice.eth', 3);
    await refer('often.eth', 30);
    const { names, gateway } = await setUp(honest);
    expect((await names.resolve('thrice.eth', 'latest')).address).toBe(HOLDERS.carol);
    expect(gateway.questions).toHaveLength(3);
    await expect(names.resolve('often.eth', 'latest')).rejects.toMatchObject({ name: 'GatewayError' });
    expect(gateway.questions).toHaveLength(3 + 4);
  });

  it('is an error when its resolver refers as another contract', async () => {
    await refer('posing.eth', 1, HOLDERS.bob);
    const { names, gateway } = await setUp(honest);
    await expect(names.resolve('posing.eth', 'latest')).rejects.toMatchObject({ name: 'GatewayError' });
    expect(gateway.questions).toEqual([]);
  });

  it('is refused when its gateways are not on the list, private ones above all', async () => {
    const { names, gateway } = await setUp(honest);
    for (const name of ['offchain.eth', 'below.offchain.eth']) {
      await expect(names.resolve(name, 'latest')).rejects.toMatchObject({ name: 'OffchainName' });
    }
    expect(gateway.dialled).toEqual([]);
  });
});

describe('a referral', () => {
  const contract = HOLDERS.alice;
  const shape = ['address', 'string[]', 'bytes', 'bytes4', 'bytes'];
  const answer = (body: string, size?: number) => {
    const data = Buffer.from(concat(['0x556f1830', body]).slice(2), 'hex');
    return { status: 'failed' as const, data, size: size ?? data.length, gasUsed: 0 };
  };
  const encode = (urls: string[]): string => ABI.encode(shape, [contract, urls, '0x', '0x00000000', '0x']);

  it('is read', () => {
    expect(readReferral(contract, answer(encode(['a', 'b'])))).toEqual({
      sender: contract.toLowerCase(),
      urls: ['a', 'b'],
      callData: '0x',
      callback: '0x00000000',
      extraData: '0x',
    });
  });

  it('is the answer of a call that has failed: one that has not says what it likes', () => {
    const referral = answer(encode(['a']));
    expect(isReferral(referral)).toBe(true);
    expect(isReferral({ ...referral, status: 'ok' })).toBe(false);
  });

  it('is abandoned with its caller, and after 5 s for all gateways together', async () => {
    const [caller, limit] = [new AbortController(), new AbortController()];
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal);
    for (const [ending, signal] of [
      [caller, caller.signal],
      [limit, new AbortController().signal],
    ] as const) {
      const gateways: CcipGateways = {
        ask: (_referral, own) =>
          new Promise((_, reject) => {
            own.addEventListener('abort', () => reject(own.reason as Error));
            ending.abort(new Error('no more time'));
          }),
        close: async () => undefined,
      };
      const block = { number: 1, timestamp: 1, hash: '0x1', parentHash: '0x0' };
      const referred = { result: answer(encode(['a'])), block, signal };
      const followed = followReferral({} as ChainReader, gateways, contract, referred);
      await expect(followed).rejects.toThrow('no more time');
    }
    expect(timeout.mock.calls).toEqual([[5_000], [5_000]]);
  });

  it.each([
    ['more gateways than the limit', answer(encode(Array<string>(17).fill('a'))), 'more than 16 gateways'],
    ['more bytes than we read', answer(encode(['a']), 20_000), 'more than 16383 bytes'],
    ['nothing', answer('0x'), 'cannot be read'],
    ['half of it', answer(encode(['a']).slice(0, 200)), 'cannot be read'],
    ['text that is none', answer(encode(['aaaa']).replace('61616161', 'ffffffff')), 'cannot be read'],
    ['offsets to nowhere', answer(`0x${'f'.repeat(640)}`), 'cannot be read'],
  ])('of %s is refused', (_, result, message) => {
    expect(() => readReferral(contract, result)).toThrow(message);
    expect(() => readReferral(contract, result)).toThrow(expect.objectContaining({ name: 'GatewayError' }));
  });

  it('that repeats one long text many times is refused quickly', () => {
    const head = [contract.toLowerCase().slice(2).padStart(64, '0'), 'a0', '3000', '0', '3000'];
    const urls = ['1ff', ...Array<string>(0x1ff).fill('3fe0')];
    const words = [...head, ...urls].map((word) => word.padStart(64, '0')).join('');
    const before = process.threadCpuUsage();
    expect(() => readReferral(contract, answer(`0x${words}`))).toThrow('cannot be read');
    expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(2_000);
  });
});
