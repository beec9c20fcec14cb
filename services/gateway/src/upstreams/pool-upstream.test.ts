import type { AddressInfo } from 'node:net';
import { createPoolUpstream } from './pool-upstream.ts';
import { describeUpstream } from '../../test/upstreams/upstream.contract.ts';

describeUpstream('over a pool of connections', async (service, limits) => {
  await service.listen({ host: '127.0.0.1', port: 0 });
  const { port } = service.server.address() as AddressInfo;
  return createPoolUpstream({ origin: `http://127.0.0.1:${port}`, bodyTimeout: 60_000, limits });
});
