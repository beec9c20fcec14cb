/** deploy/kubernetes as kustomize builds it: valid by the API's own schemas, hardened, and in step with the settings. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Ajv, type ValidateFunction } from 'ajv';
import { parseAllDocuments } from 'yaml';
import { load } from '@hindsight/kernel/config.ts';
import { TRUST_PROXY } from '@hindsight/kernel/service-settings.ts';
import { describeOnInstalled } from '@hindsight/tools/servers/suite.ts';
import { SERVICES } from '@hindsight/tools/stack/services.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const OVERLAYS = ['small', 'large'];
const SETTINGS = readFileSync(join(ROOT, 'docs/operations/settings.md'), 'utf8');
const PAGE = readFileSync(join(ROOT, 'docs/operations/kubernetes.md'), 'utf8');

interface Container {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly env?: readonly { readonly name: string }[];
  readonly envFrom: readonly Readonly<
    Record<'configMapRef' | 'secretRef', { readonly name: string } | undefined>
  >[];
  readonly resources: Readonly<Record<'requests' | 'limits', Readonly<Record<string, string>>>>;
  readonly securityContext: object;
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly replicas?: number;
    readonly scaleTargetRef?: { readonly kind: string; readonly name: string };
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly volumeClaimTemplates?: readonly object[];
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly containers: readonly Container[];
        readonly volumes: readonly object[];
        readonly securityContext: object;
        readonly automountServiceAccountToken: boolean;
        readonly terminationGracePeriodSeconds: number;
      };
    };
  };
}

interface Schemas {
  readonly definitions: Record<
    string,
    {
      properties?: object;
      additionalProperties?: unknown;
      'x-kubernetes-group-version-kind'?: { group: string; version: string; kind: string }[];
    }
  >;
}

await describeOnInstalled('Kubernetes', { name: 'kubernetes', env: process.env }, (tools) => {
  let validators: ((resource: Resource) => ValidateFunction) | undefined;
  const validatorFor = (resource: Resource): ValidateFunction =>
    (validators ??= validatorsOf(join(tools, 'swagger.json')))(resource);

  const build = (overlay: string): Resource[] => {
    const folder = join(ROOT, 'deploy/kubernetes/overlays', overlay);
    const text = execFileSync(join(tools, 'kubectl/kubectl'), ['kustomize', folder], { encoding: 'utf8' });
    return parseAllDocuments(text).map((document) => document.toJS() as Resource);
  };
  const isWorkload = ({ kind }: Resource): boolean => ['Deployment', 'StatefulSet'].includes(kind);

  describe.each(OVERLAYS)('overlay %s', (overlay) => {
    const resources = build(overlay);
    const workloads = resources.filter(isWorkload);
    const named = (kind: string, name: string): Resource | undefined =>
      resources.find((one) => one.kind === kind && one.metadata.name === name);
    const containers = workloads.map(({ spec }) => spec.template.spec.containers[0]!);

    it('is valid by the schemas of the Kubernetes API, with no field that they do not know', () => {
      for (const resource of resources) {
        const validate = validatorFor(resource);
        validate(resource);
        expect({ of: `${resource.kind} ${resource.metadata.name}`, errors: validate.errors }).toMatchObject({
          errors: null,
        });
      }
    });

    it('would be refused with a misspelt field', () => {
      const deployment = structuredClone(workloads[0]!);
      Object.assign(deployment.spec.template.spec.containers[0]!, { readinesProbe: {} });
      const validate = validatorFor(deployment);
      expect(validate(deployment)).toBe(false);
    });

    it('runs every process, each by its name in the image', () => {
      expect(containers.map(({ args }) => args.join(' ')).sort()).toEqual(
        SERVICES.map(({ name }) => name).sort(),
      );
      for (const { image } of containers) expect(image).toMatch(/^[\w./-]+\/hindsight:\d+\.\d+\.\d+$/);
      for (const { kind, metadata } of resources)
        if (kind !== 'Namespace') expect(metadata.namespace).toBe('hindsight');
    });

    it('restricts every container as the profile "restricted" asks, and more', () => {
      for (const { spec } of workloads) {
        expect(spec.template.spec).toMatchObject({
          automountServiceAccountToken: false,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 1000,
            seccompProfile: { type: 'RuntimeDefault' },
          },
        });
        expect(spec.template.spec.containers).toHaveLength(1);
        expect(spec.template.spec.containers[0]!.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
      }
    });

    it('probes paths that the processes answer, on ports that they listen on', () => {
      const health = readFileSync(join(ROOT, 'shared/http/src/health.ts'), 'utf8');
      for (const container of containers) {
        expect(container.ports.map(({ containerPort }) => containerPort)).toEqual([8080, 9080]);
        for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
          const { httpGet } = (
            container as unknown as Record<typeof probe, { httpGet: { path: string; port: string } }>
          )[probe];
          expect(health).toContain(`app.get('${httpGet.path}'`);
          expect(container.ports.map(({ name }) => name)).toContain(httpGet.port);
        }
      }
    });

    it('gives memory and CPU that leave room: requests for both, a limit of memory above the request', () => {
      for (const { resources: given } of containers) {
        expect(Object.keys(given.requests).sort()).toEqual(['cpu', 'memory']);
        expect(Number.parseInt(given.limits.memory!, 10)).toBeGreaterThan(
          Number.parseInt(given.requests.memory!, 10),
        );
      }
    });

    /** The keys of a Secret that the page's reader makes. */
    const secretKeys = (name: string): string[] => {
      const made = new RegExp(`^.*\\| secret ${name.replace('hindsight-', '')}$`, 'm').exec(PAGE)?.[0] ?? '';
      return [...made.matchAll(/["'](\w+)=/g)].map(([, key = '']) => key);
    };

    it('names settings that exist and that the process reads, and gives all that must be set', () => {
      for (const { name, env = [], envFrom } of containers) {
        // Node's own is read by none of ours.
        const given = env.map((variable) => variable.name).filter((one) => one !== 'NODE_OPTIONS');
        for (const { configMapRef, secretRef } of envFrom) {
          const keys = configMapRef
            ? Object.keys(named('ConfigMap', configMapRef.name)?.data ?? {})
            : secretKeys(secretRef!.name);
          expect({ of: configMapRef ?? secretRef, keys: keys.length }).not.toMatchObject({ keys: 0 });
          given.push(...keys);
        }
        const shared = ['PORTAL_URL', 'API_URL', 'TRUST_PROXY'];
        for (const setting of given) {
          const readers = readersOf(setting);
          expect({ setting, readers: readers.length }).not.toMatchObject({ readers: 0 });
          // Public settings are one ConfigMap for the gateway and the portal.
          if (!shared.includes(setting))
            expect({ setting, readers }).toMatchObject({
              readers: expect.arrayContaining([
                expect.stringMatching(new RegExp(`^(all|${name}|every service.*)$`)),
              ]),
            });
        }
        for (const store of ['KAFKA_BROKERS', 'MONGODB_URL', 'REDIS_URL', 'ETH_RPC_URL', 'SECRETS_KEY'])
          if (readersOf(store).includes(name))
            expect({ name, given }).toMatchObject({ given: expect.arrayContaining([store]) });
      }
    });

    it('believes no X-Forwarded-For before it is said whose: what reads TRUST_PROXY does not start', () => {
      const { data = {} } = named('ConfigMap', 'hindsight-public')!;
      expect(() => load({ TRUST_PROXY }, data)).toThrow(/TRUST_PROXY/);
    });

    it('keeps answers in another Redis than the counters', () => {
      const redisOf = (name: string): readonly string[] =>
        containers
          .find((container) => container.name === name)!
          .envFrom.flatMap(({ secretRef }) => (secretRef?.name.includes('redis') ? [secretRef.name] : []));
      expect(redisOf('balance')).toEqual(['hindsight-redis-answers']);
      for (const name of ['gateway', 'metering', 'portal'])
        expect(redisOf(name)).toEqual(['hindsight-redis']);
    });

    it('gives each process the files that settings may name, if there are any', () => {
      const mount = { name: 'files', mountPath: '/etc/hindsight', readOnly: true };
      for (const { volumeMounts } of containers) expect(volumeMounts).toContainEqual(mount);
      const volume = { name: 'files', secret: { secretName: 'hindsight-files', optional: true } };
      for (const { spec } of workloads) expect(spec.template.spec.volumes).toContainEqual(volume);
      expect(PAGE).toContain('`/etc/hindsight`');
    });

    it('keeps what a gateway has not sent on a volume of its own, larger than the spool', () => {
      const gateway = named('StatefulSet', 'gateway')!;
      const [container] = gateway.spec.template.spec.containers;
      expect(container!.volumeMounts).toContainEqual({ name: 'data', mountPath: '/data' });
      expect(gateway.spec.volumeClaimTemplates).toMatchObject([
        { metadata: { name: 'data' }, spec: { resources: { requests: { storage: '2Gi' } } } },
      ]);
      expect(container!.env).toContainEqual({ name: 'USAGE_SPOOL_MAX_MB', value: '512' });
    });

    it('lets the holders service read balances, and no other that nothing needs', () => {
      const open = named('NetworkPolicy', 'balance-from-holders')!.spec as unknown as {
        podSelector: { matchLabels: Record<string, string> };
        ingress: [{ from: [{ podSelector: { matchLabels: Record<string, string> } }] }];
      };
      const chosen = ({ matchLabels }: { matchLabels: Record<string, string> }): string[] =>
        workloads
          .filter(({ spec }) => matches(spec.template.metadata.labels, matchLabels))
          .map(({ metadata }) => metadata.name);
      expect(chosen(open.podSelector)).toEqual(['balance']);
      expect(chosen(open.ingress[0].from[0].podSelector)).toEqual(['holders']);
      const readers = containers.filter(({ env = [] }) => env.some(({ name }) => name === 'BALANCE_URL'));
      expect(readers.map(({ name }) => name).sort()).toEqual(['gateway', 'holders', 'portal']);
    });

    it('lets a node be drained, one pod of a kind at a time', () => {
      for (const { metadata, spec } of workloads) {
        const budget = named('PodDisruptionBudget', metadata.name);
        expect(budget?.spec).toMatchObject({ maxUnavailable: 1, selector: spec.selector });
        expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(15);
      }
    });

    it('selects by its policies and services pods that exist', () => {
      for (const { kind, spec } of resources) {
        if (kind !== 'Service') continue;
        expect(
          workloads.filter(({ spec: { template } }) =>
            matches(template.metadata.labels, spec.selector as never),
          ).length,
        ).toBe(1);
      }
      const policies = resources.filter(({ kind }) => kind === 'NetworkPolicy');
      expect(policies.map(({ metadata }) => metadata.name)).toContain('nothing');
      for (const store of ['kafka', 'mongodb', 'redis', 'ethereum', 'clickhouse']) {
        const variable = {
          kafka: 'KAFKA_BROKERS',
          mongodb: 'MONGODB_URL',
          redis: 'REDIS_URL',
          ethereum: 'ETH_RPC_URL',
          clickhouse: 'CLICKHOUSE_URL',
        }[store]!;
        const allowed = workloads.filter(
          ({ spec }) => spec.template.metadata.labels[`hindsight/${store}`] === 'true',
        );
        const readers = workloads.filter(({ metadata }) => readersOf(variable).includes(metadata.name));
        expect(allowed.map(({ metadata }) => metadata.name)).toEqual(
          readers.map(({ metadata }) => metadata.name),
        );
      }
    });

    it('leaves replicas to the autoscalers where there are any', () => {
      const scaled = resources.filter(({ kind }) => kind === 'HorizontalPodAutoscaler');
      expect(scaled.length > 0).toBe(overlay === 'large');
      for (const { spec } of scaled) {
        const target = named(spec.scaleTargetRef!.kind, spec.scaleTargetRef!.name);
        expect(target).toBeDefined();
        expect(target!.spec.replicas).toBeUndefined();
      }
    });
  });
});

/** The readers of a setting, as the table has them. */
function readersOf(setting: string): string[] {
  const rows = SETTINGS.matchAll(new RegExp(`^\\| \`${setting}\` \\| ([^|]+) \\|`, 'gm'));
  return [...rows].flatMap(([, names = '']) => names.split(',').map((name) => name.trim()));
}

function matches(
  labels: Readonly<Record<string, string>>,
  selector: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(selector).every(([name, value]) => labels[name] === value);
}

/** Validators by kind, of the schemas that the API server publishes; fields that they do not name are refused. */
function validatorsOf(file: string): (resource: Resource) => ValidateFunction {
  const { definitions } = JSON.parse(readFileSync(file, 'utf8')) as Schemas;
  const kinds = new Map<string, string>();
  for (const [name, definition] of Object.entries(definitions)) {
    if (definition.properties !== undefined) definition.additionalProperties ??= false;
    for (const { group, version, kind } of definition['x-kubernetes-group-version-kind'] ?? [])
      kinds.set(`${group ? `${group}/` : ''}${version} ${kind}`, name);
  }
  // A number or a word with a unit.
  for (const name of ['api.resource.Quantity', 'util.intstr.IntOrString'])
    definitions[`io.k8s.apimachinery.pkg.${name}`] = {};
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema({ $id: 'kubernetes', definitions });
  return ({ apiVersion, kind }) => {
    const validate = ajv.getSchema(
      `kubernetes#/definitions/${kinds.get(`${apiVersion} ${kind}`) ?? 'unknown'}`,
    );
    if (validate === undefined) throw new Error(`the API has no ${kind} in ${apiVersion}`);
    return validate;
  };
}
