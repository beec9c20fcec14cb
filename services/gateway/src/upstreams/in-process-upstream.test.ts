import { createInProcessUpstream } from './in-process-upstream.ts';
import { upstreamContract } from './upstream.contract.ts';

upstreamContract('in the same process', async (service, limits) => createInProcessUpstream(service, limits));
