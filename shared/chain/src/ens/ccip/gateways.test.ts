import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { generate } from 'selfsigned';
import { createCcipGateways } from './gateways.ts';
import type { CcipGateways, Referral } from './offchain.ts';
import {
  startGateway,
  type Answering,
  type GatewayServer,
} from '../../../test/ens/support/gateway-server.ts';

const HOST = 'gateway.example.com';
const PUBLIC = '93.184.216.34';
const SENDER = `0x${'ab'.repeat(20)}`;
/** Of a gateway that answers; a busy machine takes its time. */
const PATIENCE_MS = 60_000;
/** Of one that does not. */
const TIMEOUT_MS = 400;
const MAX_BYTES = 10_000;

let keys: { cert: string; key: string };
beforeAll(async () => {
  const extensions = [{ name: 'subjectAltName' as const, altNames: [{ type: 2 as const, value: HOST }] }];
  const made = await generate([{ name: 'commonName', value: HOST }], { extensions, algorithm: 'sha256' });
  keys = { cert: made.cert, key: made.private };
});

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function setUp(
  answering: Answering,
  lookup: (host: string) => Promise<readonly string[]> = async () => [PUBLIC],
  timeoutMs = PATIENCE_MS,
): Promise<{ gateway: GatewayServer; client: CcipGateways }> {
  const gateway = await startGateway(keys, answering);
  closers.push(() => gateway.close());
  const client = createCcipGateways({
    hosts: [HOST],
    lookup,
    dial: gateway.dial,
    ca: keys.cert,
    timeoutMs,
    maxBytes: MAX_BYTES,
  });
  closers.push(() => client.close());
  return { gateway, client };
}

const referral = (...urls: string[]): Referral => ({
  sender: SENDER,
  urls,
  callData: '0x1234',
  callback: '0x00000000',
  extraData: '0x',
});
const GOOD = `https://${HOST}/{sender}/{data}.json`;
const ask = (client: CcipGateways, ...urls: string[]): Promise<string> =>
  client.ask(referral(...urls), AbortSignal.timeout(2 * PATIENCE_MS));
const data: Answering = (response) => response.end('{"data":"0xbeef"}');

function keepWriting(response: ServerResponse, text: string, everyMs: number): void {
  const timer = setInterval(() => response.write(text), everyMs);
  response.on('close', () => clearInterval(timer));
}

describe('a gateway on the list', () => {
  it('is asked by GET if the template has a {data} placeholder, at the address that was checked', async () => {
    const { gateway, client } = await setUp(data);
    expect(await ask(client, GOOD)).toBe('0xbeef');
    expect(gateway.questions).toEqual([`GET ${HOST} /${SENDER}/0x1234.json`]);
    expect(gateway.dialled).toEqual([`${PUBLIC}:443`]);
  });

  it('is asked by POST otherwise', async () => {
    const { gateway, client } = await setUp(data);
    expect(await ask(client, `https://${HOST}/ccip`)).toBe('0xbeef');
    expect(gateway.questions).toEqual([`POST ${HOST} /ccip {"data":"0x1234","sender":"${SENDER}"}`]);
  });

  it('is followed by the next one if it fails', async () => {
    const { gateway, client } = await setUp((response, request) => {
      response.writeHead(request.url === '/a' ? 503 : 200).end('{"data":"0x01"}');
    });
    expect(await ask(client, `https://${HOST}/a`, `https://${HOST}/b`)).toBe('0x01');
    expect(gateway.questions).toHaveLength(2);
  });

  it('ends the search if it refuses the question', async () => {
    const { gateway, client } = await setUp((response) => void response.writeHead(404).end('{}'));
    await expect(ask(client, `https://${HOST}/a`, `https://${HOST}/b`)).rejects.toMatchObject({
      name: 'GatewayError',
      message: `${HOST} answered HTTP 404`,
    });
    expect(gateway.questions).toHaveLength(1);
  });

  it('is heard no further once it has refused', async () => {
    const closed = Promise.withResolvers<void>();
    const { client } = await setUp((response) => {
      response.once('close', closed.resolve).writeHead(503);
      keepWriting(response, 'x', 5);
    });
    await expect(ask(client, GOOD)).rejects.toThrow('answered HTTP 503');
    await closed.promise;
  });

  it('must present a certificate for the host', async () => {
    const gateway = await startGateway(keys, data);
    const client = createCcipGateways({ hosts: [HOST], lookup: async () => [PUBLIC], dial: gateway.dial });
    closers.push(
      () => gateway.close(),
      () => client.close(),
    );
    await expect(ask(client, GOOD)).rejects.toMatchObject({ name: 'GatewayError', kind: 'failed' });
    expect(gateway.questions).toEqual([]);
  });

  it.each<[string, Answering]>([
    ['a redirect to a private address', (r) => r.writeHead(302, { location: 'https://127.0.0.1/' }).end()],
    ['a redirect with data', (r) => r.writeHead(302, { location: '/' }).end('{"data":"0x01"}')],
    ['a redirect to itself', (r) => r.writeHead(307, { location: `https://${HOST}/x` }).end()],
    ['a huge body', (r) => r.end(`{"data":"0x${'00'.repeat(MAX_BYTES)}"}`)],
    ['an endless body', (r) => keepWriting(r, 'x'.repeat(5_000), 5)],
    ['no JSON', (r) => r.end('<html>')],
    ['JSON without data', (r) => r.end('{"message":"no"}')],
    ['data that is not hex', (r) => r.end('{"data":"0xzz"}')],
    ['half of it', (r) => (r.writeHead(200, { 'content-length': 99 }), r.write('{'), void r.destroy())],
    ['nothing but a reset', (r) => void r.destroy()],
    ['a 204', (r) => r.writeHead(204).end()],
  ])('fails if it answers %s', async (_, answering) => {
    const { gateway, client } = await setUp(answering);
    await expect(ask(client, GOOD)).rejects.toMatchObject({ name: 'GatewayError', kind: 'failed' });
    expect(gateway.questions).toHaveLength(1);
  });

  it.each<[string, Answering]>([
    ['is silent', () => undefined],
    ['drips', (r) => keepWriting(r, ' ', 20)],
  ])('is abandoned in time if it %s', async (_, answering) => {
    const { client } = await setUp(answering, undefined, TIMEOUT_MS);
    const begun = performance.now();
    await expect(ask(client, GOOD)).rejects.toMatchObject({ name: 'GatewayError', kind: 'timeout' });
    expect(performance.now() - begun).toBeLessThan(TIMEOUT_MS + PATIENCE_MS);
  });

  it('is abandoned when the caller has no more time', async () => {
    const caller = new AbortController();
    const { gateway, client } = await setUp(() => caller.abort());
    const asking = client.ask(referral(GOOD, GOOD, GOOD), caller.signal);
    await expect(asking).rejects.toMatchObject({ kind: 'timeout' });
    expect(gateway.questions).toHaveLength(1);
  });

  it('is abandoned when its address cannot be found in time', async () => {
    const { gateway, client } = await setUp(data, () => new Promise(() => undefined), TIMEOUT_MS);
    await expect(ask(client, GOOD)).rejects.toMatchObject({ kind: 'timeout' });
    expect(gateway.dialled).toEqual([]);
  });

  it('is abandoned when it does not accept the connection, which is closed', async () => {
    const socket = new Socket();
    const lookup = async (): Promise<string[]> => [PUBLIC];
    const client = createCcipGateways({ hosts: [HOST], lookup, dial: () => socket, timeoutMs: TIMEOUT_MS });
    closers.push(() => client.close());
    const closed = once(socket, 'close');
    await expect(ask(client, GOOD)).rejects.toMatchObject({ name: 'GatewayError', kind: 'timeout' });
    await closed;
  });
});

describe('a contract cannot make the client ask', () => {
  it.each([
    ['another host', 'https://evil.example.net/{data}'],
    ['a host below one on the list', `https://x.${HOST}/{data}`],
    ['a host that ends with one on the list', `https://evil${HOST}/{data}`],
    ['a host made of the data', 'https://{data}.example.com/'],
    ['plain HTTP', `http://${HOST}/{data}`],
    ['another port', `https://${HOST}:8443/{data}`],
    ['credentials', `https://user:pass@${HOST}/{data}`],
    ['the host as credentials', `https://${HOST}@evil.example.net/{data}`],
    ['loopback', 'https://127.0.0.1/{data}'],
    ['loopback in decimal', 'https://2130706433/{data}'],
    ['loopback in octal', 'https://0177.0.0.1/{data}'],
    ['loopback in hex', 'https://0x7f.1/{data}'],
    ['loopback of IPv6', 'https://[::1]/{data}'],
    ['loopback mapped', 'https://[::ffff:127.0.0.1]/{data}'],
    ['localhost', 'https://localhost/{data}'],
    ['metadata services', 'http://169.254.169.254/latest/meta-data/{data}'],
    ['files', 'file:///etc/passwd'],
    ['data', 'data:application/json,{"data":"0x"}'],
    ['nonsense', '{data}'],
    ['a password', `https://:pass@${HOST}/{data}`],
    ['a name of a user', `https://user@${HOST}/{data}`],
    ['a URL without end', `https://${HOST}/${'x'.repeat(20_000)}{data}`],
    ['one that its sender makes too long', `https://${HOST}/${'{sender}'.repeat(400)}{data}`],
  ])('%s', async (_, url) => {
    const looked: string[] = [];
    const { gateway, client } = await setUp(data, async (host) => (looked.push(host), [PUBLIC]));
    await expect(ask(client, url)).rejects.toMatchObject({ name: 'OffchainName' });
    expect([looked, gateway.dialled, gateway.questions]).toEqual([[], [], []]);
  });

  it('a URL that repeats long data many times: it is not even built', async () => {
    const { gateway, client } = await setUp(data);
    // Together longer than any string can be.
    const many = {
      ...referral(`https://${HOST}/${'{data}'.repeat(2_000)}`),
      callData: `0x${'00'.repeat(500_000)}`,
    };
    await expect(client.ask(many, AbortSignal.timeout(PATIENCE_MS))).rejects.toMatchObject({
      name: 'OffchainName',
    });
    expect(gateway.questions).toEqual([]);
  });

  it.each([
    [['127.0.0.1']],
    [['10.0.0.7']],
    [['169.254.169.254']],
    [['::1']],
    [['::ffff:127.0.0.1']],
    [['100.64.1.1']],
    [['fd00::1']],
    [[PUBLIC, '10.0.0.7']],
    [['2130706433']],
    [[]],
  ])('a host on the list whose addresses are %p', async (addresses) => {
    const { gateway, client } = await setUp(data, async () => addresses);
    await expect(ask(client, GOOD)).rejects.toMatchObject({ name: 'GatewayError', kind: 'failed' });
    expect(gateway.dialled).toEqual([]);
  });

  it('a private address by DNS rebinding: the checked address is dialled, and a new one is checked again', async () => {
    const answers = [[PUBLIC], ['127.0.0.1'], ['127.0.0.1']];
    const looked: string[] = [];
    const { gateway, client } = await setUp(
      (response) => response.setHeader('connection', 'close').end('{"data":"0xbeef"}'),
      async (host) => (looked.push(host), answers[looked.length - 1]!),
    );
    expect(await ask(client, GOOD)).toBe('0xbeef');
    expect(gateway.dialled).toEqual([`${PUBLIC}:443`]);
    await expect(ask(client, GOOD)).rejects.toMatchObject({ name: 'GatewayError' });
    expect(gateway.dialled).toEqual([`${PUBLIC}:443`]);
    expect(looked.length).toBeGreaterThanOrEqual(2);
  });
});
