import type { Clock } from '@hindsight/shared/clock.ts';
import { NETWORKS } from '@hindsight/shared/chain/networks.ts';
import type { EthereumNode } from '@hindsight/shared/chain/node.ts';
import { ChainReader } from '@hindsight/shared/chain/reader.ts';
import { nodeReadiness } from '@hindsight/shared/chain/readiness.ts';
import { createHttpServer } from '@hindsight/shared/http/server.ts';
import type { HttpServer } from '@hindsight/shared/http/types.ts';
import type { Ids } from '@hindsight/shared/ids.ts';
import type { Lifecycle } from '@hindsight/shared/lifecycle.ts';
import type { Logger } from '@hindsight/shared/logger.ts';
import type { Telemetry } from '@hindsight/shared/telemetry.ts';
import { createChainHistory } from './adapters/chain-history.ts';
import { addAllowanceSingle } from './routes/allowance-single.ts';
import { addBalanceNative } from './routes/balance-native.ts';
import { addBalanceSingle } from './routes/balance-single.ts';

/** What the service stands on. */
export interface BalanceDeps {
  readonly node: EthereumNode;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly lifecycle: Lifecycle;
  /** Nothing is measured when not given. */
  readonly telemetry?: Telemetry;
}

/** Creates the balance service: what a wallet held, at any block. Not yet listening. */
export function createBalance({ node, logger, clock, ids, lifecycle, telemetry }: BalanceDeps): HttpServer {
  const [network] = NETWORKS.values();
  if (network === undefined) throw new Error('no network is configured');
  const history = createChainHistory(new ChainReader({ node, network, clock }), network);
  const app = createHttpServer({
    logger,
    ids,
    lifecycle,
    checks: [nodeReadiness(node)],
    observed: telemetry && { service: 'balance', telemetry },
  });
  addBalanceSingle(app, history);
  addBalanceNative(app, history);
  addAllowanceSingle(app, history);
  return app;
}
