import { ConfigError } from '@hindsight/kernel/config.ts';

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Listens at a port that `setting` chooses. @throws {ConfigError} when the port is taken */
export async function listenAt(
  setting: string,
  { host, port }: Address,
  listen: (address: Address) => Promise<string>,
): Promise<string> {
  try {
    return await listen({ host, port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw portTaken(setting, host, port);
  }
}

/** Another process listens there. It takes one line to say so, and no stack. */
function portTaken(setting: string, host: string, port: number): ConfigError {
  const another = port < 65_535 ? port + 1 : port - 1;
  const message = `port ${port} of ${host} is taken (EADDRINUSE): choose another with ${setting}, as in ${setting}=${another}`;
  return Object.assign(new ConfigError([message]), { message });
}
