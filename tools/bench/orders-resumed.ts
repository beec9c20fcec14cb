/** The follower of tests/faults/follower.test.ts in full size: killed and resumed 100 times under 200 orders a second. */
import { runFollower } from '../../tests/support/orders/follower-run.ts';

const KILLS = 100;
const PER_SECOND = 200;

/** Runs it and prints the outcome. `process.argv` may have other numbers of kills and of orders a second. */
export async function run(): Promise<void> {
  const kills = Number(process.argv[3] ?? KILLS);
  const perSecond = Number(process.argv[4] ?? PER_SECOND);
  const report = await runFollower({ kills, perSecond });
  console.table(report);
  if (report.missed + report.twice + report.disordered > 0) process.exitCode = 1;
}
