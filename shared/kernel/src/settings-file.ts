/** Files that settings name: read once, as the settings are. */
import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';

/** Of all faults of a file, these are reported. */
const MAX_FAULTS = 10;

/** The text of a file, or the fault in words. */
export function readSettingsFile(
  path: string,
  maxBytes: number,
): { readonly text: string } | { readonly fault: string } {
  try {
    if (statSync(path).size > maxBytes) return { fault: `the file is larger than ${maxBytes / 1024} KiB` };
    return { text: readFileSync(path, 'utf8') };
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    return { fault: `the file cannot be read (${code})` };
  }
}

/**
 * Path of a JSON file with a list; what the schema makes of its entries is the value. A fault names its entry and field, and
 * never shows a value, unless the schema's own messages do: URLs carry keys.
 */
export function jsonListFile<T>(list: z.ZodType<T>, maxBytes: number): z.ZodType<T, string> {
  return z
    .string()
    .max(4_096, 'expected at most 4096 characters')
    .transform((path, context): T => {
      const refuse = (...faults: readonly string[]): never => {
        for (const message of faults) context.addIssue({ code: 'custom', message });
        return z.NEVER;
      };
      const read = readSettingsFile(path, maxBytes);
      if ('fault' in read) return refuse(read.fault);
      const parsed = parse(read.text);
      if (parsed === undefined) return refuse('the file holds no JSON');
      const { success, data, error } = list.safeParse(parsed);
      return success ? data : refuse(...error.issues.slice(0, MAX_FAULTS).map(describeIssue));
    });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Zod's own messages name types and bounds, and no value. */
function describeIssue({ path, message }: z.core.$ZodIssue): string {
  const [at, ...fields] = path;
  if (at === undefined) return `the file: ${message}`;
  const field = fields.length === 0 ? '' : `, ${fields.join('.')}`;
  return `entry ${Number(at) + 1}${field}: ${message}`;
}
