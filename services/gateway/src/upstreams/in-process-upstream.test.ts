import { createInProcessUpstream } from './in-process-upstream.ts';
import { upstreamContract } from '../../test/upstreams/upstream.contract.ts';

upstreamContract('in the same process', async (service, limits) => createInProcessUpstream(service, limits));
