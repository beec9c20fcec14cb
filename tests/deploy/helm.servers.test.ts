/** deploy/helm renders the objects of deploy/kubernetes, one for one; its values change those objects. */
import { execFileSync, spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { describeOnInstalled } from '@hindsight/tools/servers/suite.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const CHART = join(ROOT, 'deploy/helm');
const SETTINGS_HASH = 'hindsight/settings';
/** The oldest version that the page names. */
const KUBERNETES = ['--kube-version', '1.30'];

interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: {
    replicas?: number;
    readonly egress?: readonly object[];
    readonly volumeClaimTemplates: readonly { readonly spec: object }[];
    readonly template: {
      readonly metadata: { annotations?: Record<string, string> };
      readonly spec: {
        readonly imagePullSecrets?: readonly object[];
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly [
          {
            readonly image: string;
            readonly env?: readonly object[];
            readonly envFrom: readonly { readonly secretRef?: object }[];
            readonly resources: object;
          },
        ];
      };
    };
  };
}

await describeOnInstalled('the Helm chart', { name: 'kubernetes', env: process.env }, (tools) => {
  const helm = (...args: string[]): { status: number | null; stdout: string; stderr: string } =>
    spawnSync(join(tools, 'helm/helm'), args, { encoding: 'utf8' });
  const render = (...args: string[]): Resource[] => {
    const { status, stdout, stderr } = helm(
      'template',
      'hindsight',
      CHART,
      '-n',
      'hindsight',
      ...KUBERNETES,
      ...args,
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return resourcesOf(stdout);
  };
  const kustomized = (folder: string): Resource[] =>
    resourcesOf(
      execFileSync(join(tools, 'kubectl/kubectl'), ['kustomize', join(ROOT, 'deploy/kubernetes', folder)], {
        encoding: 'utf8',
      }),
    );

  it('is linted without a warning', () => {
    for (const values of [
      [],
      ['-f', join(CHART, 'values-small.yaml')],
      ['-f', join(CHART, 'values-large.yaml')],
    ])
      expect(helm('lint', '--strict', CHART, ...values)).toMatchObject({
        status: 0,
        stdout: expect.not.stringMatching(/\[(WARNING|ERROR)\]/),
      });
  });

  it.each([
    { of: 'base', values: [] },
    { of: 'overlays/small', values: ['-f', join(CHART, 'values-small.yaml')] },
    { of: 'overlays/large', values: ['-f', join(CHART, 'values-large.yaml')] },
  ])('makes the objects of $of, without the namespace', ({ of, values }) => {
    const expected = byName(kustomized(of).filter(({ kind }) => kind !== 'Namespace'));
    const rendered = byName(render(...values).map(withoutSettingsHash));
    expect([...rendered.keys()].sort()).toEqual([...expected.keys()].sort());
    for (const [name, resource] of expected)
      expect({ name, resource: rendered.get(name) }).toEqual({ name, resource });
  });

  it('applies the values that are given', () => {
    const given = byName(
      render(
        ...['--set', 'image.repository=registry.test/h,image.tag=9.9.9,image.pullSecrets={pull}'],
        ...['--set', 'settings.public.TRUST_PROXY=10.0.0.0/8,secrets.mongodb=mine'],
        ...['--set', 'processes.balance.replicas=5'],
        // Settings are strings: Helm would write a number of seven digits as 1e+06.
        ...['--set-string', 'processes.balance.env.CACHE_MAX_MB=64'],
        ...['--set', 'processes.balance.resources.limits.memory=2Gi,processes.holders.storage.class=fast'],
        ...['--set', 'networkPolicies.servers.kafka.cidrs={192.0.2.0/28}'],
      ),
    );
    const { replicas, template } = given.get('Deployment balance')!.spec;
    expect(replicas).toBe(5);
    expect(template.spec.imagePullSecrets).toEqual([{ name: 'pull' }]);
    expect(template.spec.containers[0]).toMatchObject({
      image: 'registry.test/h:9.9.9',
      env: [
        { name: 'HOLDERS_URL', value: 'http://holders:8080' },
        { name: 'CACHE_MAX_MB', value: '64' },
      ],
      resources: { requests: { memory: '512Mi' }, limits: { memory: '2Gi' } },
    });
    expect(given.get('ConfigMap hindsight-public')!.data).toMatchObject({ TRUST_PROXY: '10.0.0.0/8' });
    expect(given.get('Deployment tokens')!.spec.template.spec.containers[0].envFrom).toContainEqual({
      secretRef: { name: 'mine' },
    });
    expect(given.get('StatefulSet holders')!.spec.volumeClaimTemplates[0]!.spec).toMatchObject({
      storageClassName: 'fast',
    });
    expect(given.get('NetworkPolicy to-kafka')!.spec.egress).toMatchObject([
      { to: [{ ipBlock: { cidr: '192.0.2.0/28' } }] },
    ]);
  });

  it('gives pods time to drain for as long as is set', () => {
    const graces = render(
      ...['--set-string', 'settings.all.DRAIN_MS=60000,processes.gateway.env.DRAIN_MS=120000'],
      ...['--set', 'processes.balance.env=null', '-s', 'templates/workloads.yaml'],
    ).map(({ metadata, spec }) => [metadata.name, spec.template.spec.terminationGracePeriodSeconds]);
    expect(Object.fromEntries(graces)).toMatchObject({ balance: 85, gateway: 145 });
  });

  it('names the image by its digest, which overrides a tag', () => {
    const digest = `sha256:${'ab'.repeat(32)}`;
    const [balance] = render('--set', `image.digest=${digest}`, '-s', 'templates/workloads.yaml');
    expect(balance!.spec.template.spec.containers[0].image).toBe(`registry.example/hindsight@${digest}`);
  });

  it('replaces all pods when a setting changes, and none when a size does', () => {
    const hashes = (...values: string[]): (string | undefined)[] =>
      render(...values, '-s', 'templates/workloads.yaml').map(
        ({ spec }) => spec.template.metadata.annotations?.[SETTINGS_HASH],
      );
    const before = hashes();
    expect(new Set(before).size).toBe(1);
    expect(hashes('--set', 'processes.portal.replicas=3')).toEqual(before);
    expect(new Set([...before, ...hashes('--set', 'settings.all.LOG_LEVEL=debug')]).size).toBe(2);
  });

  it('leaves out policies and metrics that are turned off', () => {
    expect(
      render('--set', 'networkPolicies.enabled=false').filter(({ kind }) => kind === 'NetworkPolicy'),
    ).toEqual([]);
    const metrics = render(
      ...['-f', join(CHART, 'values-large.yaml'), '-s', 'templates/autoscaling.yaml'],
      ...['--set', 'processes.gateway.autoscaling.activeRequests=null'],
      ...['--set', 'processes.balance.autoscaling.activeRequests=null'],
      ...['--set', 'processes.metering.autoscaling.waitingEvents=null'],
    );
    expect(metrics).toHaveLength(6);
    expect(JSON.stringify(metrics)).not.toMatch(/"Pods","pods"|"External"/);
  });

  it.each([
    { value: 'processes.gatway.replicas=2', says: /gatway/ },
    { value: 'processes.balance.replica=2', says: /replica/ },
    { value: 'processes.balance.replicas=many', says: /replicas/ },
    { value: 'settings.all.DRAIN_MS=5000', says: /DRAIN_MS/ },
    // The value may be an address with its password: it is not in the message.
    { value: 'secrets.mongodb=mongodb://user:word@host', says: /secrets\/mongodb'(?!.*word)/s },
    { value: 'image.digest=latest', says: /digest/ },
    { value: 'networkPolicies.servers.kafka.cidrs={kafka-1.example}', says: /cidrs/ },
  ])('refuses $value, and says where it is wrong', ({ value, says }) => {
    expect(helm('template', 'hindsight', CHART, ...KUBERNETES, '--set', value)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(says),
    });
  });
});

function resourcesOf(text: string): Resource[] {
  return parseAllDocuments(text).map((document) => document.toJS() as Resource);
}

function byName(resources: readonly Resource[]): Map<string, Resource> {
  const named = new Map(resources.map((one) => [`${one.kind} ${one.metadata.name}`, one]));
  expect(named.size).toBe(resources.length);
  return named;
}

/** Removes the one annotation that kustomize's pods lack: those are restarted by hand when settings change. */
function withoutSettingsHash(resource: Resource): Resource {
  const metadata = resource.spec?.template?.metadata;
  if (metadata?.annotations !== undefined) {
    expect(Object.keys(metadata.annotations)).toEqual([SETTINGS_HASH]);
    delete metadata.annotations;
  }
  return resource;
}
