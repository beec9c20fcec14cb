/** A real API server takes deploy/kubernetes by the commands of docs/operations/kubernetes.md, and admits its pods. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { isInstalled } from '@hindsight/tools/servers/install.ts';
import { startKubeApiserver, type KubeApiserver } from '@hindsight/tools/servers/kube-apiserver.ts';
import { describeUnless } from '@hindsight/tools/servers/suite.ts';
import { machineEnv } from '../support/machine.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/operations/kubernetes.md'), 'utf8');

interface PodSpec {
  securityContext?: object;
  readonly containers: {
    securityContext: Record<string, unknown>;
    resources: { limits: Record<string, string> };
    readinesProbe?: object;
  }[];
  volumes: object[];
}

interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: {
    readonly replicas?: number;
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
    readonly template: { readonly metadata: { readonly labels: object }; readonly spec: PodSpec };
  };
}

const absent = (await isInstalled('kube-apiserver'))
  ? []
  : ['kube-apiserver is not installed: npm run servers -- install kube-apiserver'];

describeUnless('an API server of Kubernetes', { absent, faults: [] }, undefined, () => {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-manifests-'));
  let cluster: KubeApiserver;

  beforeAll(async () => {
    cluster = await startKubeApiserver();
  });
  afterAll(async () => {
    await cluster?.stop();
    rmSync(folder, { recursive: true });
  });

  /** Runs commands that the page's reader types; they must end well and without a warning. */
  const type = (commands: string): string => {
    const { status, stdout, stderr } = spawnSync('sh', ['-euc', commands], {
      cwd: ROOT,
      encoding: 'utf8',
      env: {
        ...machineEnv(),
        PATH: `${cluster.bin}:${process.env.PATH}`,
        HOME: folder,
        KUBECONFIG: cluster.config,
      },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return stdout;
  };
  /** The block of the page with this command, without the lines that need running pods. */
  const block = (command: string): string => {
    const found = [...PAGE.matchAll(/^( *)```sh\n([\s\S]*?)^\1```$/gm)].filter(([text]) =>
      text.includes(command),
    );
    expect(found).toHaveLength(1);
    return found[0]![2]!.replaceAll(/^.*kubectl -n hindsight (?:rollout|exec) .*$/gm, '');
  };
  const get = async (kinds: string): Promise<readonly Resource[]> => {
    const { stdout } = await cluster.kubectl('-n', 'hindsight', 'get', kinds, '-o', 'json');
    return (JSON.parse(stdout) as { items: Resource[] }).items;
  };
  /** Sends a manifest for validation only. @throws the server's objections */
  const offer = async (manifest: unknown): Promise<void> => {
    const file = join(folder, 'manifest.json');
    writeFileSync(file, JSON.stringify(manifest));
    const { stderr } = await cluster.kubectl('create', '--validate=strict', '--dry-run=server', '-f', file);
    if (stderr !== '') throw new Error(stderr);
  };
  /** The pod that a controller would make of a workload. */
  const podOf = ({
    metadata: { name, namespace },
    spec: { template, volumeClaimTemplates = [] },
  }: Resource) => {
    const { labels } = template.metadata;
    const claims = volumeClaimTemplates.map(({ metadata }) => ({
      name: metadata.name,
      persistentVolumeClaim: { claimName: `${metadata.name}-${name}-0` },
    }));
    const spec = structuredClone(template.spec);
    spec.volumes.push(...claims);
    return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels }, spec };
  };

  it('makes the namespace and its secrets', async () => {
    type(block('create secret'));
    expect(await get('secrets')).toHaveLength(7);
    // A controller's work in each namespace; no pod is admitted without it.
    await cluster.kubectl('-n', 'hindsight', 'create', 'serviceaccount', 'default');
  });

  /** Cases of an overlay that replaces the earlier one. */
  const takes = (overlay: string): void => {
    const path = `deploy/kubernetes/overlays/${overlay}`;

    it(`takes the overlay ${overlay} without a warning, first for a look, then in earnest`, async () => {
      const { stdout } = await cluster.kubectl('kustomize', join(ROOT, path));
      const resources = stdout.split(/^---$/m).length;
      const count = (text: string, ending: RegExp): number => [...text.matchAll(ending)].length;
      const typed = type(block('--dry-run=server').replaceAll('overlays/small', `overlays/${overlay}`));
      expect(count(typed, / (?:created|configured|unchanged) \(server dry run\)$/gm)).toBe(resources);
      expect(count(typed, / (?:created|configured|unchanged)$/gm)).toBe(resources);
      expect(type(block('kubectl diff').replaceAll('overlays/small', `overlays/${overlay}`))).toBe('');
    });

    it(`admits the pods of ${overlay} as its namespace does, and would not if they were less restricted`, async () => {
      const workloads = await get('deployments,statefulsets');
      expect(workloads).toHaveLength(6);
      for (const workload of workloads) await offer(podOf(workload));
      const asRoot = podOf(workloads[0]!);
      delete asRoot.spec.securityContext;
      await expect(offer(asRoot)).rejects.toThrow(/violates PodSecurity "restricted:latest"/);
      const privileged = podOf(workloads[0]!);
      privileged.spec.containers[0]!.securityContext.allowPrivilegeEscalation = true;
      await expect(offer(privileged)).rejects.toThrow(/violates PodSecurity "restricted:latest"/);
    });
  };

  const replicas = async (): Promise<Readonly<Record<string, number | undefined>>> =>
    Object.fromEntries(
      (await get('deployments,statefulsets')).map(({ metadata, spec }) => [metadata.name, spec.replicas]),
    );
  const SMALL = { gateway: 2, orders: 2, balance: 1, tokens: 1, holders: 1, metering: 1, portal: 1 };

  takes('small');

  it('goes from small to large without a pod less', async () => {
    expect(await replicas()).toEqual(SMALL);
    type(block('set-last-applied'));
    expect(await replicas()).toEqual(SMALL);
  });

  takes('large');

  it('leaves to an autoscaler what it has decided, and goes back to small', async () => {
    await cluster.kubectl('-n', 'hindsight', 'scale', 'deployment/balance', '--replicas=7');
    type(block('set-last-applied'));
    expect(await replicas()).toEqual({ ...SMALL, balance: 7 });
    type(block('delete hpa'));
    expect(await replicas()).toEqual(SMALL);
    expect(await get('horizontalpodautoscalers')).toEqual([]);
  });

  /** A workload as it would be sent. */
  const manifest = async (change: (pod: PodSpec) => void): Promise<unknown> => {
    const { apiVersion, kind, metadata, spec } = (await get('deployments'))[0]!;
    change(spec.template.spec);
    return { apiVersion, kind, metadata: { name: 'another', namespace: metadata.namespace }, spec };
  };

  it.each<[string, (pod: PodSpec) => void, RegExp]>([
    [
      'a field that it does not know',
      ({ containers }) => (containers[0]!.readinesProbe = {}),
      /readinesProbe/,
    ],
    [
      'a limit below the request',
      ({ containers }) => (containers[0]!.resources.limits.memory = '1Mi'),
      /must be less than or equal to memory limit/,
    ],
    [
      'with a warning, a workload whose pods the namespace would refuse',
      (pod) => delete pod.securityContext,
      /would violate PodSecurity "restricted:latest"/,
    ],
  ])('refuses %s', async (_, change, words) => {
    await offer(await manifest(() => undefined));
    await expect(offer(await manifest(change))).rejects.toThrow(words);
  });
});
