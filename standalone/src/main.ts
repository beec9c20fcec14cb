/** Starts the dev chain where no node is given, and meanwhile loads everything else, which takes as long. */
import { BegunChain } from './begin-chain.ts';

const begun = process.env.ETH_RPC_URL ? undefined : new BegunChain();
// Loading blocks this thread, so the chain must not need it any more.
await begun?.underWay;
const { runHindsight } = await import('./hindsight.ts');
await runHindsight(process.env, begun);
