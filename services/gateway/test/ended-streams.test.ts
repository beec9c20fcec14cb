/** Streams end when their key is refused, and event streams when their time is over. */
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { openStream } from '@hindsight/http/test/support/open-stream.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { startGatewayWorld, PLENTY } from './support/gateway-world.ts';
import { echoLines } from './support/echo.ts';
import { beginSnapshot } from './support/snapshot-client.ts';

const MINUTE_MS = 60_000;
const ALL = { scopes: ['read', 'webhook', 'usage'] as const };

/** Only goes forwards. */
let time = Date.UTC(2026, 10, 2, 12);
const world = forAllTests(() => startGatewayWorld({ clock: { now: () => time } }), 'close');
beforeAll(async () => void (await world.joined));
const rotations = (): number => world.heard.filter((type) => type === 'key-rotated').length;

interface Stream {
  readonly isOpen: () => boolean;
  /** Resolves at its end, to whether it has ended as an answer does. */
  readonly ended: Promise<boolean>;
}

function watched(ended: Promise<boolean>): Stream {
  let open = true;
  void ended.then(() => (open = false));
  return { isOpen: () => open, ended };
}

async function events(key: string): Promise<Stream> {
  world.service.answer = (_request, response) => response.writeHead(200).write('id: 1\n\n');
  const stream = await openStream(`${world.url}/v1/eth-mainnet/orders/stream`, { 'x-api-key': key });
  expect(stream.status).toBe(200);
  await stream.until('\n\n');
  return watched(
    stream.end().then(
      () => true,
      () => false,
    ),
  );
}

async function snapshot(key: string): Promise<Stream> {
  world.service.answer = (request, response) => void echoLines(request, response).catch(() => undefined);
  const begun = Promise.withResolvers<void>();
  const sending = { url: world.url, key, bytes: 1_000, onData: () => begun.resolve() };
  const sent = beginSnapshot(sending);
  await sent.send('0x12\n');
  await begun.promise;
  return watched(sent.answer.then(({ complete }) => complete));
}

type Change = (project: { readonly id: string; readonly keyId: string }) => Promise<unknown>;
const CHANGES: [string, Change][] = [
  ['is revoked', ({ id, keyId }) => world.projects.revokeKey(id, keyId)],
  ['is rotated with no grace', ({ id, keyId }) => world.projects.rotate(id, { keyId, graceMs: 0 })],
  ['has its project suspended', ({ id }) => world.projects.suspend(id)],
  ['has its project deleted', ({ id }) => world.projects.delete(id)],
  [
    'may not be used from its address any more',
    ({ id, keyId }) =>
      world.projects.updateKey(id, keyId, { name: 'k', ...ALL, allowedAddresses: ['203.0.113.1'] }),
  ],
  [
    'loses the scope',
    ({ id, keyId }) => world.projects.updateKey(id, keyId, { name: 'k', scopes: ['usage'] }),
  ],
  [
    'may only be used from a web page',
    ({ id, keyId }) =>
      world.projects.updateKey(id, keyId, { name: 'k', ...ALL, allowedOrigins: ['https://app.example'] }),
  ],
];

describe.each([
  ['an event stream', events, true],
  ['a snapshot', snapshot, false],
] as const)('%s', (_name, open, isWhole) => {
  it.each(CHANGES)('ends when its key %s, and no other does', async (_change, change) => {
    const { id } = await world.addProject(PLENTY);
    const { secret, key } = await world.projects.createKey(id, { name: 'k', ...ALL });
    const stranger = await world.addProject(PLENTY);
    const [stream, other] = [await open(secret), await open(stranger.key)];
    await change({ id, keyId: key.id });
    await world.publishChanges();
    expect(await stream.ended).toBe(isWhole);
    expect(other.isOpen()).toBe(true);
  });

  it('ends when its key expires', async () => {
    const { id } = await world.addProject(PLENTY);
    const expiresAt = time + 10 * MINUTE_MS;
    const { secret } = await world.projects.createKey(id, { name: 'k', ...ALL, expiresAt });
    const stream = await open(secret);
    time = expiresAt;
    expect(await stream.ended).toBe(isWhole);
  });

  it('ends when the grace of its rotated key does', async () => {
    const { id, key } = await world.addProject(PLENTY);
    const stream = await open(key);
    const before = rotations();
    await world.projects.rotate(id, { graceMs: 5 * MINUTE_MS });
    await world.publishChanges();
    await until('the change has arrived', () => rotations() > before);
    expect(stream.isOpen()).toBe(true);
    time += 5 * MINUTE_MS;
    expect(await stream.ended).toBe(isWhole);
  });

  it('ends within a minute where the change was never announced', async () => {
    const { id } = await world.addProject(PLENTY);
    const { secret, key } = await world.projects.createKey(id, { name: 'k', ...ALL });
    const stream = await open(secret);
    await world.projects.revokeKey(id, key.id);
    time += MINUTE_MS;
    expect(await stream.ended).toBe(isWhole);
  });
});

describe('an event stream', () => {
  it('ends when its key was revoked before it began', async () => {
    const { id } = await world.addProject(PLENTY);
    const { secret, key } = await world.projects.createKey(id, { name: 'k', ...ALL });
    const [come, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    world.service.answer = (_request, response) => {
      come.resolve();
      void go.promise.then(() => response.writeHead(200).write('id: 1\n\n'));
    };
    const opening = openStream(`${world.url}/v1/eth-mainnet/orders/stream`, { 'x-api-key': secret });
    await come.promise;
    const revoked = (): number => world.heard.filter((type) => type === 'key-revoked').length;
    const before = revoked();
    await world.projects.revokeKey(id, key.id);
    await world.publishChanges();
    await until('the change has arrived', () => revoked() > before);
    go.resolve();
    expect(await (await opening).end()).toContain('id: 1');
  });

  it('ends whole after a quarter of an hour, and costs a unit again', async () => {
    const { id, key } = await world.addProject(PLENTY);
    for (const opened of [1, 2]) {
      const stream = await events(key);
      time += 15 * MINUTE_MS;
      expect(await stream.ended).toBe(true);
      await until('it is counted', () => world.sentUnits(id) === opened);
    }
  });
});

describe('a snapshot', () => {
  it('whose client sends a byte now and then is cut off, and paid for', async () => {
    const { id, key } = await world.addProject(PLENTY);
    const stream = await snapshot(key);
    time += 90_000;
    expect(await stream.ended).toBe(false);
    await until('it is counted', () => world.sentUnits(id) === 1);
  });
});
