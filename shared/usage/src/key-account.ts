/**
 * A key with a monthly cap of its own has a record in the ledger beside its project's: its account. A request takes units
 * of both, and what it cost is counted in both.
 */

/** No project's id has it. */
const MARK = '#';

/** The name of a key's account, as if it were a project. */
export function keyAccount(project: string, key: string): string {
  return `${project}${MARK}${key}`;
}

/** Whether a record is a key's account: what it counts is in its project's record too. */
export function isKeyAccount(project: string): boolean {
  return project.includes(MARK);
}
