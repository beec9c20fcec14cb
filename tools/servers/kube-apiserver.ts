/**
 * The API server of Kubernetes with etcd, and nothing else: it validates, admits and stores what it gets. No controller acts
 * on it, no kubelet runs it.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeCertificate } from './certificate.ts';
import { installedFolder } from './install.ts';
import { freePort } from './ports.ts';
import { openDataFolder, type ServerProcess, startServer } from './process.ts';

const run = promisify(execFile);

/** Output of a command. */
interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

/** A running API server with its store. */
export interface KubeApiserver extends Pick<ServerProcess, 'stop'> {
  /** The folder of `kubectl`. */
  readonly bin: string;
  /** For `KUBECONFIG`: an administrator of the cluster. */
  readonly config: string;
  /** Runs `kubectl` as that administrator. */
  kubectl(...args: readonly string[]): Promise<Printed>;
}

/** Starts both; ready when `/readyz` is. They are built by `npm run servers -- install kube-apiserver`, not here. */
export async function startKubeApiserver(): Promise<KubeApiserver> {
  const bin = await installedFolder('kube-apiserver');
  const etcd = await startEtcd(bin);
  try {
    const data = await openDataFolder('kube-apiserver', {});
    const port = await freePort();
    const [certificate, token] = [await makeCertificate(), randomBytes(16).toString('hex')];
    const config = join(data.path, 'config.json');
    const files = {
      cert: certificate.cert,
      key: certificate.key,
      tokens: `${token},admin,admin,system:masters\n`,
    };
    for (const [name, text] of Object.entries(files))
      await writeFile(join(data.path, name), text, { mode: 0o600 });
    await writeFile(config, kubeconfig(`https://127.0.0.1:${port}`, certificate.cert, token), {
      mode: 0o600,
    });
    const kubectl = (...args: readonly string[]): Promise<Printed> =>
      run(join(bin, 'kubectl'), ['--kubeconfig', config, '--cache-dir', join(data.path, 'cache'), ...args]);
    const server = await startServer({
      name: 'kube-apiserver',
      command: join(bin, 'kube-apiserver'),
      args: [
        `--etcd-servers=${etcd.url}`,
        `--secure-port=${port}`,
        '--bind-address=127.0.0.1',
        '--advertise-address=127.0.0.1',
        '--endpoint-reconciler-type=none',
        '--tls-cert-file=cert',
        '--tls-private-key-file=key',
        '--token-auth-file=tokens',
        '--authorization-mode=RBAC',
        `--service-account-issuer=https://127.0.0.1:${port}`,
        '--service-account-key-file=key',
        '--service-account-signing-key-file=key',
      ],
      data,
      probe: async () => void (await kubectl('get', '--raw', '/readyz')),
    });
    const stop = async (): Promise<void> => {
      await server.stop();
      await etcd.stop();
    };
    return { bin, config, kubectl, stop };
  } catch (error) {
    await etcd.stop();
    throw error;
  }
}

async function startEtcd(bin: string): Promise<ServerProcess & { readonly url: string }> {
  const data = await openDataFolder('etcd', {});
  const url = `http://127.0.0.1:${await freePort()}`;
  const peers = `http://127.0.0.1:${await freePort()}`;
  const server = await startServer({
    name: 'etcd',
    command: join(bin, 'etcd'),
    args: [
      '--data-dir=data',
      '--unsafe-no-fsync',
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=${peers}`,
      `--initial-advertise-peer-urls=${peers}`,
      `--initial-cluster=default=${peers}`,
    ],
    data,
    probe: async () => {
      const { status } = await fetch(`${url}/health`);
      if (status !== 200) throw new Error(`/health answers ${status}`);
    },
  });
  return Object.assign(server, { url });
}

/** The format is YAML, of which JSON is a part. */
function kubeconfig(server: string, authority: string, token: string): string {
  const name = 'test';
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    contexts: [{ name, context: { cluster: name, user: name } }],
    clusters: [
      { name, cluster: { server, 'certificate-authority-data': Buffer.from(authority).toString('base64') } },
    ],
    users: [{ name, user: { token } }],
  });
}
