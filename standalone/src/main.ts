/**
 * Starts the dev chain if no node is given, and loads everything else at the same time, which takes as long.
 */
import '@hindsight/kernel/light-start.ts';
import { BegunChain } from './begin-chain.ts';

const NODES = /^(?:[A-Z]+_RPC_URL|NETWORKS_FILE)$/;
const hasNodes = Object.entries(process.env).some(([name, value]) => value && NODES.test(name));
const begun = hasNodes ? undefined : new BegunChain();
// Loading blocks this thread, so the chain must not depend on it by then.
await begun?.underWay;
const { runHindsight } = await import('./hindsight.ts');
await runHindsight(process.env, begun);
