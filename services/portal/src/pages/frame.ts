/** The frame that every page shows around its own content. */

/** The colours: those of the system, or the reader's own choice, remembered in a cookie. */
export type Theme = 'auto' | 'light' | 'dark';

export interface Frame {
  /**
   * Who is signed in, as written in the page's head (email address, name or short wallet address). `'hidden'` on a page
   * with foreign scripts, which must not learn it.
   */
  readonly user: { readonly label: string } | 'hidden' | null;
  readonly theme: Theme;
  /** The path of this page, which marks the current place in the navigation. */
  readonly path: string;
  /** The development mailbox exists here (never in production). */
  readonly mailbox: boolean;
  /** On a project's pages: the reader's projects, to switch between. */
  readonly projects?: readonly ProjectChoice[] | undefined;
}

export interface ProjectChoice {
  readonly id: string;
  readonly name: string;
  readonly current: boolean;
}

/** The cookie in which public/theme.js keeps the reader's choice; the server writes the page in it from the start. */
const THEME_COOKIE = 'hindsight-theme';

/** Reads the remembered colours from a Cookie header. */
export function readTheme(cookies: string | undefined): Theme {
  const value = new RegExp(`(?:^|;\\s*)${THEME_COOKIE}=(light|dark)(?:;|$)`).exec(cookies ?? '')?.[1];
  return value === 'light' || value === 'dark' ? value : 'auto';
}
