/** The audit log as a file. */
import type { AuditEntry } from './audit.ts';

export const EXPORT_FORMATS = ['csv', 'ndjson'] as const;

/** Lines of CSV (RFC 4180, with a header) or of JSON. @param who names a user to the reader */
export async function* auditExport(
  entries: AsyncIterable<AuditEntry>,
  format: (typeof EXPORT_FORMATS)[number],
  who: (entry: AuditEntry) => string,
): AsyncGenerator<string> {
  if (format === 'csv') yield 'at,action,detail,user,address\r\n';
  for await (const entry of entries) {
    const { action, detail, address } = entry;
    const at = new Date(entry.at).toISOString();
    const user = entry.userId === null ? 'operator' : who(entry);
    yield format === 'csv'
      ? `${[at, action, detail ?? '', user, address ?? ''].map(cell).join(',')}\r\n`
      : `${JSON.stringify({ at, action, detail, user, address })}\n`;
  }
}

/** Keeps a spreadsheet from taking text for a formula. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
