import { ConfigError } from '@hindsight/kernel/config.ts';

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Listens at a port that `setting` chooses. @throws {ConfigError} when the port is taken, or the address is not to be had */
export async function listenAt(
  setting: string,
  { host, port }: Address,
  listen: (address: Address) => Promise<string>,
): Promise<string> {
  try {
    return await listen({ host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const message = code && describe(code, setting, { host, port });
    if (!message) throw error;
    // It takes one line to say so, and no stack.
    throw Object.assign(new ConfigError([message]), { message });
  }
}

function describe(code: string, setting: string, { host, port }: Address): string | undefined {
  switch (code) {
    case 'EADDRINUSE': {
      const another = port < 65_535 ? port + 1 : port - 1;
      return `port ${port} of ${host} is taken (${code}): choose another with ${setting}, as in ${setting}=${another}`;
    }
    case 'EACCES':
      return `port ${port} of ${host} may not be used by this user (${code}): choose one above 1023 with ${setting}`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `HOST is ${host}: it is no address of this machine (${code}); 127.0.0.1 is this machine alone, 0.0.0.0 all of its addresses`;
    default:
      return undefined;
  }
}
