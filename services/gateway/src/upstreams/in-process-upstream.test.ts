import { createInProcessUpstream } from './in-process-upstream.ts';
import { describeUpstream } from '../../test/upstreams/upstream.contract.ts';

describeUpstream('in the same process', async (service, limits) => createInProcessUpstream(service, limits));
