/** What is printed at the end of a start: where everything is, the demo key, and calls that work as they stand. */
import { MAINNET_EXAMPLES } from '@hindsight/chain/mainnet-examples.ts';
import { relative } from 'node:path';

interface Banner {
  /** Where the gateway is. */
  readonly url: string;
  readonly portalUrl: string;
  readonly demoKey: string;
  /** Questions that the dev chain answers, where it is the one that is read; mainnet's otherwise. */
  readonly devChainExamples?: readonly Example[] | undefined;
  /** The folder of the embedded store, where there is one. */
  readonly dataDir?: string;
  /** Why the Ethereum node cannot be read, where it cannot. */
  readonly nodeFault?: string | undefined;
}

/** A question in words, and the path that asks it. */
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
    '',
    ...calls,
    '',
    '',
  ].join('\n');
}

/** As a person in the current folder would write it. */
function shown(folder: string): string {
  const path = relative('.', folder);
  return path.startsWith('..') ? folder : `./${path}`;
}
