import { projectPath } from '../domain/project-path.ts';
import type { Frame, ProjectChoice } from './frame.ts';
import { html, type Html } from './html.ts';

interface Head {
  readonly title: string;
  /** One sentence for search engines and link previews. */
  readonly description?: string;
  /** Names of ES modules in /assets, without `.js`; theme is always there. */
  readonly modules?: readonly string[];
  /** Classic scripts, by name: they are loaded before the modules run. */
  readonly scripts?: readonly string[];
  /** Names of further style sheets in /assets, without `.css`. */
  readonly styles?: readonly string[];
  /** Wide pages use the whole width of a large screen; bare pages bring their own styles. */
  readonly width?: 'text' | 'form' | 'wide' | 'bare';
}

const DESCRIPTION = 'See what any wallet held, or any spender was allowed to spend, at any block or date.';

/** A whole page: head, navigation, content, footer. */
export function layout(frame: Frame, head: Head, body: Html): string {
  const modules = ['theme', ...(head.modules ?? [])];
  const styles = [
    'fonts',
    'hindsight',
    ...(head.width === 'bare' ? [] : ['sheet', 'parts']),
    ...(head.styles ?? []),
  ];
  return html`<!doctype html>
    <html lang="en" data-theme="${frame.theme}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="${frame.theme === 'auto' ? 'light dark' : frame.theme}" />
        <meta name="description" content="${head.description ?? DESCRIPTION}" />
        <title>${head.title} · Hindsight</title>
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
        ${['text', 'text-italic', 'figures'].map(
          (name) =>
            html`<link
              rel="preload"
              href="/assets/fonts/${name}.woff2"
              as="font"
              type="font/woff2"
              crossorigin
            />`,
        )}
        ${styles.map((name) => html`<link rel="stylesheet" href="/assets/${name}.css" />`)}
        <link rel="stylesheet" href="/assets/print.css" media="print" />
        <noscript><link rel="stylesheet" href="/assets/noscript.css" /></noscript>
        ${(head.scripts ?? []).map((name) => html`<script defer src="/assets/${name}.js"></script>`)}
        ${modules.map((name) => html`<script type="module" src="/assets/${name}.js"></script>`)}
      </head>
      <body>
        <a class="skip" href="#content">Skip to content</a>
        ${header(frame)} ${content(head, body)} ${footer(frame)}
      </body>
    </html>`.toString();
}

/** A bare page's content brings its own main landmark, which must be in no other. */
function content({ width = 'text' }: Head, body: Html): Html {
  if (width === 'bare') return html`<div id="content" class="bare" tabindex="-1">${body}</div>`;
  return html`<main id="content" class="sheet ${width}" tabindex="-1">${body}</main>`;
}

function header({ path, user, projects }: Frame): Html {
  return html`<header class="masthead">
    <div class="bar">
      <a class="brand" href="/" aria-label="Hindsight">${brandMark()}<span>Hindsight</span></a>
      <nav aria-label="Main">
        ${user && link(path, '/dashboard', 'Dashboard')} ${link(path, '/demo', 'Demo')}
        ${link(path, '/wallet', 'Wallet')} ${link(path, '/docs', 'Docs')}
        ${link(path, '/reference', 'Reference')} ${!user && link(path, '/status', 'Status')}
      </nav>
      ${projects && projectMenu(projects)}
      <div class="bar-end">
        ${user === null ? link(path, '/sign-in', 'Sign in') : user !== 'hidden' && accountMenu(path, user.label)}
        ${user === null && html`<a class="button" href="/sign-up"><span class="long">Get an </span>API key</a>`}
        <div class="theme-slot">
          ${user !== 'hidden' && html`<button type="button" class="quiet" data-theme-switch hidden></button>`}
        </div>
      </div>
    </div>
  </header>`;
}

function projectMenu(projects: readonly ProjectChoice[]): Html {
  const current = projects.find((project) => project.current);
  return html`<details class="menu projects" name="menu">
    <summary>
      <span class="unseen">Project:</span> <span class="cut">${current?.name ?? 'Projects'}</span>
    </summary>
    <ul>
      ${projects.map(
        ({ id, name, current: here }) =>
          html`<li>
            <a href="${projectPath(id)}" ${here && html`aria-current="true"`}>${name}</a>
          </li>`,
      )}
      <li class="apart">
        <a href="${projectPath(current?.id ?? '')}/settings#create-title">New project</a>
      </li>
    </ul>
  </details>`;
}

function accountMenu(path: string, label: string): Html {
  return html`<details class="menu" name="menu">
    <summary><span class="unseen">Account:</span> <span class="cut">${label}</span></summary>
    <ul>
      <li class="who">${label}</li>
      <li>${link(path, '/account', 'Account')}</li>
      <li>
        <form method="post" action="/sign-out">
          <button class="link" type="submit" aria-label="Sign out ${label}">Sign out</button>
        </form>
      </li>
    </ul>
  </details>`;
}

function link(path: string, href: string, text: string): Html {
  const here = path === href || path.startsWith(`${href}/`);
  return here ? html`<a href="${href}" aria-current="page">${text}</a>` : html`<a href="${href}">${text}</a>`;
}

function footer({ mailbox }: Frame): Html {
  return html`<footer class="colophon">
    <p>Self-hosted. No third-party requests, no trackers.</p>
    <ul>
      <li><a href="/docs">Guides</a></li>
      <li><a href="/reference">API reference</a></li>
      <li><a href="/openapi.json">OpenAPI 3.1</a></li>
      <li><a href="/status">Status</a></li>
      ${mailbox && html`<li><a href="/outbox">Development mailbox</a></li>`}
    </ul>
  </footer>`;
}

/** The logo: a balance in steps, and a line at a moment of the past. */
function brandMark(): Html {
  return html`<svg
    class="mark"
    viewBox="0 0 24 24"
    width="24"
    height="24"
    aria-hidden="true"
    focusable="false"
  >
    <path class="mark-step" d="M1 19h6v-7h6v4h4V7h6" fill="none" stroke-width="2" />
    <path class="mark-then" d="M10 2v20" fill="none" stroke-width="2" />
  </svg>`;
}

/** Link to an email that was not sent; nothing if emails are sent. */
export function mailboxNotice({ mailbox }: Frame): Html | null {
  if (!mailbox) return null;
  return html`<p class="notice">
    No mail server is configured. Open the <a href="/outbox">development mailbox</a> to read the message.
  </p>`;
}
