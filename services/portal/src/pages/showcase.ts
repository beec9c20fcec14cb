/** Shared data of the landing page, the demo and a wallet's page. */
export interface Showcase {
  /** The gateway's public base URL, without a slash at its end. */
  readonly apiUrl: string;
  /** The public demo key. */
  readonly demoKey: string;
  /**
   * A question about the past in words, and a path that the connected chain answers, such as
   * /v1/eth-mainnet/…?…
   */
  readonly example: { readonly says: string; readonly path: string };
  /** The chain is the development chain. */
  readonly devChain?: boolean;
}

/** The same with its network, as in the API's paths: eth-mainnet. */
export interface Demonstration extends Showcase {
  readonly network: string;
}
