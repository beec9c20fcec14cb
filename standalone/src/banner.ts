/** The message after the start: addresses, the demo key, and calls that work as printed. */
import { MAINNET_EXAMPLES } from '@hindsight/chain/mainnet-examples.ts';
import { relative } from 'node:path';

interface Banner {
  readonly url: string;
  readonly portalUrl: string;
  readonly demoKey: string;
  /** Questions for the dev chain if it is in use, otherwise for mainnet. */
  readonly devChainExamples?: readonly Example[] | undefined;
  /** The folder of the embedded store, if there is one. */
  readonly dataDir?: string;
  /** Reason why the Ethereum node cannot be read, if it cannot. */
  readonly nodeFault?: string | undefined;
}

interface Example {
  readonly says: string;
  readonly path: string;
}

export function banner({ url, portalUrl, demoKey, devChainExamples, dataDir, nodeFault }: Banner): string {
  const examples: readonly Example[] = devChainExamples ?? MAINNET_EXAMPLES;
  const calls = examples.map(
    ({ says, path }) => `  # ${says}\n  curl -H 'x-api-key: ${demoKey}' '${url}${path}'`,
  );
  const chain = devChainExamples ? ', on the dev chain (set ETH_RPC_URL for another node)' : '';
  const data =
    dataDir === undefined ? [] : [`  data           ${shown(dataDir)} (to reset: stop, delete it, start)`];
  return [
    '',
    nodeFault === undefined
      ? `Hindsight is ready at ${url}${chain}.`
      : `Hindsight runs at ${url}, but cannot read its Ethereum node (ETH_RPC_URL): ${nodeFault}.`,
    '',
    `  portal         ${portalUrl}`,
    `  API reference  ${portalUrl}/reference`,
    `  demo           ${portalUrl}/demo`,
    `  demo key       ${demoKey}`,
    ...data,
    '',
    `  export KEY=${demoKey}`,
    `  export HINDSIGHT_API_KEY=${demoKey}`,
    '',
    ...calls,
    '',
    '',
  ].join('\n');
}

/** Relative to the current folder, as people write paths. */
function shown(folder: string): string {
  const path = relative('.', folder);
  return path.startsWith('..') ? folder : `./${path}`;
}
