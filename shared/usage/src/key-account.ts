/**
 * A key with a monthly cap has a record in the ledger in addition to its project's: its account. A request
 * takes units of both, and its cost is counted in both.
 */

/** No project's id has it. */
const MARK = '#';

/** The name of a key's account, in place of a project's id. */
export function keyAccount(project: string, key: string): string {
  return `${project}${MARK}${key}`;
}

/** True for the record of a key's account, whose counts are in its project's record too. */
export function isKeyAccount(project: string): boolean {
  return project.includes(MARK);
}
