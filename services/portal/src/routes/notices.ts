/** Words on what has just happened, by the name under which an address carries it to the next page. */
export type Notices = Readonly<Record<string, string>>;

/** The words of a name from an address: anybody can write one that there is not, or that every object has. */
export function noticeOf(notices: Notices, name: unknown): string | undefined {
  return typeof name === 'string' && Object.hasOwn(notices, name) ? notices[name] : undefined;
}
