/** Rules for a commit of this repository: docs/contributing.md, "A commit". */

/** One commit, or a message that is about to become one. */
export interface Commit {
  readonly subject: string;
  /** Without the subject and the blank line after it. */
  readonly body: string;
  readonly isMerge: boolean;
  /** Lines added and removed, generated files left out; 0 while only the message is known. */
  readonly changedLines: number;
}

const COLUMNS = 72;
const MOST_LINES = 1_500;
/** Areas that are no folder of services, shared or clients. */
const FURTHER_AREAS =
  'admin bench ci cli client clients deploy devchain docs examples faults house mcp openapi release servers shared stack standalone start tests tools truth merge';
/** Lines that may be long: an address, indented code, a trailer. */
const MAY_BE_LONG = /https?:\/\/|^\s{4}|^[A-Z][\w-]+: \S+$/;
/** A move or a rename over many files: `Mechanical: how it was made`. */
const MECHANICAL = /^Mechanical: \S/m;

/**
 * Sentences about the faults; none for a good commit.
 * @param folders names of services, shared packages and clients
 */
export function faultsOf(
  { subject, body, isMerge, changedLines }: Commit,
  folders: readonly string[],
): string[] {
  const faults: string[] = [];
  if (subject.length > COLUMNS)
    faults.push(`the subject has ${subject.length} characters; at most ${COLUMNS}`);
  const areas = /^([^:]+): \S/.exec(subject)?.[1]?.split(', ');
  const known = new Set([...folders, ...FURTHER_AREAS.split(' ')]);
  const unknown = areas?.filter((area) => !known.has(area));
  if (areas === undefined) faults.push('the subject has no area; expected "area: what"');
  else if (unknown!.length > 0)
    faults.push(`${unknown!.join(', ')}: no area; one of ${[...known].sort().join(', ')}`);
  if (/: format(?:ting)?\.?$/i.test(subject))
    faults.push('formatting belongs into the commit that needed it');
  // Git's own list of conflicts names nothing that a merge brings.
  if (body.replaceAll(/^#.*$/gm, '').trim() === '')
    faults.push(isMerge ? 'a merge lists what it brings' : 'the body is empty; it says why');
  const wide = body.split('\n').filter((line) => line.length > COLUMNS && !MAY_BE_LONG.test(line));
  if (wide.length > 0)
    faults.push(`${wide.length} lines of the body are wider than ${COLUMNS} columns: ${wide[0]}`);
  if (changedLines > MOST_LINES && !isMerge && !MECHANICAL.test(body)) {
    faults.push(
      `${changedLines} changed lines; at most ${MOST_LINES}, or "Mechanical: <how it was made>" in the body`,
    );
  }
  return faults;
}
