/** Toxiproxy: TCP connections that can be cut, delayed, limited and left half open through its HTTP API. */
import { join } from 'node:path';
import { Toxiproxy } from 'toxiproxy-node-client';
import { install } from './install.ts';
import { freePort } from './ports.ts';
import { openDataFolder, type ServerOptions, type ServerProcess, startServer } from './process.ts';

/** A running proxy server; its proxies are gone after a restart. */
export interface ToxiproxyServer extends ServerProcess {
  /** Address of the HTTP API. */
  readonly url: string;
  /** Makes proxies and poisons them: `createProxy({name, listen, upstream})`, `proxy.addToxic(…)`. */
  readonly client: Toxiproxy;
}

export type ServerProxy = Awaited<ReturnType<Toxiproxy['createProxy']>>;

/** Cuts clients off from the server behind a proxy, or joins them again. */
export async function setJoined(proxy: ServerProxy, joined: boolean): Promise<void> {
  const { listen, upstream } = proxy;
  await proxy.update({ enabled: joined, listen, upstream });
}

/** Starts Toxiproxy without any proxy. */
export async function startToxiproxy(options: ServerOptions = {}): Promise<ToxiproxyServer> {
  const installed = await install('toxiproxy', options.cache);
  const data = await openDataFolder('toxiproxy', options);
  const port = options.port ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;
  const client = new Toxiproxy(url);
  const server = await startServer({
    name: 'toxiproxy',
    command: join(installed, 'toxiproxy'),
    args: ['-host', '127.0.0.1', '-port', String(port)],
    data,
    probe: async () => void (await client.getVersion()),
  });
  return Object.assign(server, { url, client });
}
