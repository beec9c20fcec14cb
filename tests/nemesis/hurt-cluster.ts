/** A Redis cluster as one server: each kill and each pause meets the primary of another key, and its replica takes over. */
import { until } from '@hindsight/kernel/test/support/until.ts';
import type { ServerProcess } from '@hindsight/tools/servers/process.ts';
import { startRedisCluster } from '@hindsight/tools/servers/redis-cluster.ts';

const TAKEN_OVER_WITHIN_MS = 60_000;

/** Starts six servers. */
export async function startHurtCluster(): Promise<Omit<ServerProcess, 'pid'> & { readonly url: string }> {
  const cluster = await startRedisCluster(true);
  let met = 0;
  let [key, primary] = ['', cluster.nodes[0]!];
  const meet = async (): Promise<void> => {
    key = `{${met++}}`;
    primary = await cluster.primaryOf(key);
  };
  const isTakenOver = async (): Promise<boolean> => {
    const now = await cluster.primaryOf(key).catch(() => primary);
    return now !== primary;
  };
  return {
    url: cluster.url,
    async pause() {
      await meet();
      await primary.pause();
    },
    resume: () => primary.resume(),
    async kill() {
      await meet();
      await primary.kill();
    },
    async restart() {
      await until('a replica has taken over', isTakenOver, TAKEN_OVER_WITHIN_MS, 100);
      await primary.restart();
    },
    stop: () => cluster.stop(),
  };
}
