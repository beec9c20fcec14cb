/** A broker that accepts only TLS and authenticated clients. */
import { TOPICS, type Topics } from '@hindsight/events/topics.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { createLogger, type Logger } from '@hindsight/kernel/logger.ts';
import { until, untilItWorks } from '@hindsight/kernel/test/support/until.ts';
import { makeCertificate, type Certificate } from '@hindsight/tools/servers/certificate.ts';
import { startKafka, type KafkaServer } from '@hindsight/tools/servers/kafka.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from '@hindsight/kernel/config.ts';
import { PublishFailed } from '../src/errors.ts';
import { createKafkaBus, type KafkaBus } from '../src/kafka.ts';
import { PUBLISHED_WITHIN_MS } from './contract/harness.contract.ts';
import { busSettings, kafkaSettings } from '../src/settings.ts';

const USERNAME = 'hindsight';
const REFUSED_WITHIN_MS = 2_000;
const PASSWORD = 'hunter2-of-the-broker';

interface Given {
  readonly publishTimeoutMs?: number;
  readonly logger?: Logger;
  readonly process?: string;
  readonly sessionTimeoutMs?: number;
}

await describeOnServers('the bus on a secured Kafka', { env: process.env, own: ['kafka'] }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-secured-'));
  const ca = join(folder, 'ca.pem');
  const otherCa = join(folder, 'other-ca.pem');
  const lines: string[] = [];
  const logInto = (to: string[]): Logger =>
    createLogger({
      name: 'test',
      level: 'trace',
      destination: { write: (line: string) => void to.push(line) },
    });
  let certificate: Certificate;
  let kafka: KafkaServer;

  beforeAll(async () => {
    certificate = await makeCertificate();
    writeFileSync(ca, certificate.cert);
    writeFileSync(otherCa, (await makeCertificate()).cert);
    kafka = await startKafka({ secured: { certificate, username: USERNAME, password: PASSWORD } });
  });
  afterAll(async () => {
    await kafka.stop();
    rmSync(folder, { recursive: true });
  });

  function open(settings: Readonly<Record<string, string>>, given: Given = {}): KafkaBus<Topics> {
    const env = {
      KAFKA_BROKERS: kafka.securedBrokers,
      KAFKA_TLS: 'on',
      KAFKA_CA_FILE: ca,
      KAFKA_SASL_MECHANISM: 'scram-sha-512',
      KAFKA_SASL_USERNAME: USERNAME,
      KAFKA_SASL_PASSWORD: PASSWORD,
      ...settings,
    };
    const config = load(kafkaSettings('where the broker is'), env);
    const { brokers = [], security } = busSettings({ ...config, DATA_DIR: folder });
    const deps = { topics: TOPICS, logger: logInto(lines), clock: systemClock };
    return createKafkaBus({ ...deps, publishTimeoutMs: PUBLISHED_WITHIN_MS, brokers, security, ...given });
  }

  const change = (id: string) => ({
    type: 'suspended' as const,
    id,
    source: '/test',
    time: Date.now(),
    data: { projectId: id, change: 'suspended' as const, at: new Date().toISOString() },
  });

  it.each(['plain', 'scram-sha-256', 'scram-sha-512'])(
    'carries events for who signs in by %s',
    async (mechanism) => {
      const bus = open({ KAFKA_SASL_MECHANISM: mechanism });
      const id = randomUUID();
      const seen: string[] = [];
      await bus.publish('projects.changed', [change(id)]);
      await bus.subscribe({ group: id, topics: ['projects.changed'] }, async (events) => {
        seen.push(...events.map((event) => event.id));
      });
      await until('the event is read', () => seen.includes(id));
      // Signing in may take longer than a check waits.
      await untilItWorks('a broker answers', () => bus.check());
      await bus.close();
    },
  );

  it('expels the members of a process by its name; one that lives joins again', async () => {
    const [group, left] = [randomUUID(), randomUUID()];
    // No session ends during the test.
    const named = (process: string) => open({}, { process, sessionTimeoutMs: 300_000 });
    const [one, other] = [named('one'), named('other')];
    const seen: string[] = [];
    const handler = async (events: readonly { readonly id: string }[]): Promise<void> => {
      seen.push(...events.map((event) => event.id));
    };
    await one.subscribe({ group, topics: ['projects.changed'] }, handler);
    await one.subscribe({ group: left, topics: ['projects.changed'] }, handler);
    const expel = async (groups: readonly string[], names: readonly string[]): Promise<number> => {
      let ended = NaN;
      // A busy broker may not answer in time.
      await untilItWorks('a broker answers', async () => (ended = await other.expel(groups, names)));
      return ended;
    };
    expect(await expel([group], ['another', 'on'])).toBe(0);
    // If an answer comes too late, the member is expelled already, until it has joined again.
    await until('it is expelled', async () => (await expel([group, randomUUID()], ['one', 'another'])) === 1);
    await until(
      'it has joined again, and is expelled again',
      async () => (await expel([group], ['one'])) === 1,
    );
    await other.subscribe({ group, topics: ['projects.changed'] }, handler);
    const ids = Array.from({ length: 20 }, () => randomUUID());
    await other.publish('projects.changed', ids.map(change));
    await until('all is read', () => ids.every((id) => seen.filter((one) => one === id).length >= 2));
    await until('it is expelled there too', async () => (await expel([left], ['one'])) === 1);
    await Promise.all([one.close(), other.close()]);
  });

  describe('says what is wrong with', () => {
    const cases: readonly (readonly [what: string, settings: Record<string, string>, reason: RegExp])[] = [
      ['another password', { KAFKA_SASL_PASSWORD: `${PASSWORD}-not` }, /authentication failed/i],
      [
        'another password by plain',
        { KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_PASSWORD: `${PASSWORD}-not` },
        /authentication failed/i,
      ],
      ['another authority', { KAFKA_CA_FILE: otherCa }, /certificate/],
      ['only the authorities that Node trusts', { KAFKA_CA_FILE: '' }, /certificate/],
    ];
    const refused = new Map<string, { readonly publishing: unknown; readonly log: string }>();

    /** A bus takes its time to close: all at once. */
    beforeAll(async () => {
      await Promise.all(
        cases.map(async ([what, settings, reason]) => {
          const log: string[] = [];
          const bus = open(settings, { publishTimeoutMs: REFUSED_WITHIN_MS, logger: logInto(log) });
          // On a busy machine the broker may not have answered in time.
          await until(`a check fails with ${what}`, () =>
            bus.check().then(
              () => false,
              (error: Error) => reason.test(error.message),
            ),
          );
          const publishing = await bus
            .publish('projects.changed', [change('a')])
            .catch((error: unknown) => error);
          refused.set(what, { publishing, log: log.join('') });
          lines.push(...log);
          await bus.close();
        }),
      );
    });

    it.each(cases)('%s', (what, _settings, reason) => {
      const { publishing, log } = refused.get(what)!;
      expect(publishing).toBeInstanceOf(PublishFailed);
      expect(log).toMatch(reason);
    });
  });

  it('has no password in its log', () => {
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join('')).not.toContain('hunter2');
    expect(lines.join('')).not.toContain(Buffer.from(PASSWORD).toString('base64').slice(0, 16));
  });
});
