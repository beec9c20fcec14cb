/** ClickHouse's own engine behind a part of its HTTP interface: see recipes/chdb/serve.mjs. */
import { join } from 'node:path';
import { install } from './install.ts';
import { freePort } from './ports.ts';
import { openDataFolder, type ServerOptions, type ServerProcess, startServer } from './process.ts';

/** An engine of its own. */
export interface ChdbServer extends ServerProcess {
  readonly url: string;
}

/** Starts the engine without any table. */
export async function startChdb(options: ServerOptions = {}): Promise<ChdbServer> {
  const installed = await install('chdb', options.cache);
  const data = await openDataFolder('chdb', options);
  const port = options.port ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;
  const server = await startServer({
    name: 'chdb',
    command: process.execPath,
    args: [join(installed, 'serve.mjs'), join(data.path, 'tables'), String(port)],
    data,
    probe: async () => {
      if (!(await fetch(`${url}/ping`)).ok) throw new Error('no answer to /ping');
    },
  });
  return Object.assign(server, { url });
}
