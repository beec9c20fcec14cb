/** Starts the dev chain where no node is given, and meanwhile loads everything else, which takes as long. */
import { BegunChain } from './begin-chain.ts';

const begun = process.env.ETH_RPC_URL ? undefined : new BegunChain();
// Loading holds up this thread, and so what the chain still wants of it.
await begun?.underWay;
const { runHindsight } = await import('./hindsight.ts');
await runHindsight(process.env, begun);
