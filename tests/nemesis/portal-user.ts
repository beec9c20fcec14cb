/** A customer at the portal, who looks at the usage and the keys of a project and makes keys, and remembers what was shown. */
import { Browser } from '@hindsight/portal/test/support/browser.ts';
import type { UsageReport } from '@hindsight/usage/describe.ts';
import type { Wallet } from 'ethers';

/** Looks at the portal, by their outcome. */
export interface PortalSeen {
  /** Answers that were compared with what is known. */
  looks: number;
  /** Errors, and usage that could not be read. */
  failed: number;
  /** Keys that were made. */
  keys: number;
}

/** Facts about the project from elsewhere. */
interface Known {
  /** The most units that can have been counted by now. */
  readonly mostUnits: () => number;
  readonly wrong: string[];
}

/** Keys that one seed makes: an account may make thirty in an hour. */
const MOST_KEYS = 2;

/** Signed in by a wallet. */
export class PortalUser {
  readonly seen: PortalSeen = { looks: 0, failed: 0, keys: 0 };
  /** Keys that were shown once they were made: each must work from then on. */
  readonly secrets: string[] = [];
  readonly #browser: Browser;
  /** Names of keys that the project has, and of those whose making had no answer. */
  readonly #keys = new Set<string>();
  readonly #maybe = new Set<string>();
  #path = '';

  constructor(url: string) {
    this.#browser = new Browser(url);
  }

  /** Signs in. @returns the id of the account's first project @throws when the portal refuses */
  async signIn(wallet: Pick<Wallet, 'address' | 'signMessage'>): Promise<string> {
    const asked = await this.#browser.postJson('/sign-in/wallet/message', { address: wallet.address });
    const { message } = (await asked.json()) as { readonly message: string };
    const signature = await wallet.signMessage(message);
    const signed = await this.#browser.postJson('/sign-in/wallet', { message, signature, next: '/' });
    if (signed.status !== 200) throw new Error(`sign-in: ${signed.status} ${await signed.text()}`);
    const { headers } = await this.#browser.get('/dashboard');
    return /\/dashboard\/projects\/([^/?]+)/.exec(headers.get('location') ?? '')![1]!;
  }

  /** Turns to a project of the account. */
  async open(project: string): Promise<void> {
    this.#path = `/dashboard/projects/${project}`;
    const { names } = (await this.#keyList())!;
    for (const name of names) this.#keys.add(name);
  }

  /** Looks at usage and keys. */
  async look({ mostUnits, wrong }: Known): Promise<void> {
    const usage = await this.#usage(wrong);
    if (usage === null) this.seen.failed++;
    else if (usage !== undefined) this.#note(wrong, judgeShownUnits(usage.requests.used, mostUnits()));
    const had = new Set(this.#keys);
    const keys = await this.#keyList(wrong);
    if (keys !== undefined) this.#note(wrong, judgeShownKeys(keys.names, had, this.#maybe));
  }

  /** Makes a key, unless there are enough. */
  async makeKey(wrong: string[]): Promise<void> {
    if (this.#maybe.size >= MOST_KEYS) return;
    const name = `nemesis ${this.#maybe.size + 1}`;
    this.#maybe.add(name);
    const location = await this.#post('/keys', { name, 'scope-read': 'on' }, wrong);
    const path = location?.headers.get('location')?.replace(/\?.*/, '');
    if (path === undefined) return;
    this.#keys.add(name);
    this.seen.keys++;
    const shown = await this.#post(`${path.slice(this.#path.length)}/reveal`, {}, wrong);
    const secret = /id="secret">([^<]+)</.exec((await shown?.text().catch(() => '')) ?? '')?.[1];
    if (secret !== undefined && !secret.includes('…')) this.secrets.push(secret);
  }

  /** Units and orders of the month, as the portal shows them; undefined where it does not. */
  async usage(): Promise<{ readonly units: number; readonly orders: number } | undefined> {
    const usage = (await this.#usage([])) ?? undefined;
    return usage && { units: usage.requests.used, orders: usage.orders.received };
  }

  /** Null while it cannot be read; undefined while the portal cannot answer. */
  async #usage(wrong: string[]): Promise<UsageReport | null | undefined> {
    const text = await this.#get('/usage', wrong);
    return text === undefined ? undefined : (JSON.parse(text) as { usage: UsageReport | null }).usage;
  }

  #note(wrong: string[], fault: string | undefined): void {
    this.seen.looks++;
    if (fault !== undefined) wrong.push(fault);
  }

  async #keyList(wrong: string[] = []): Promise<{ readonly names: readonly string[] } | undefined> {
    const page = await this.#get('/keys', wrong);
    if (page === undefined) return undefined;
    return { names: [...page.matchAll(/\/keys\/[^"/]+">([^<]+)<\/a><\/td>/g)].map(([, name]) => name!) };
  }

  /** The text of an answer 200; undefined while the portal cannot answer. */
  async #get(path: string, wrong: string[]): Promise<string | undefined> {
    try {
      const answer = await this.#browser.get(this.#path + path);
      const text = await answer.text();
      if (answer.status === 200) return text;
      this.#refused(answer, `GET ${path}`, wrong);
    } catch {
      this.seen.failed++;
    }
    return undefined;
  }

  /** The answer to a form that was accepted. */
  async #post(
    path: string,
    fields: Readonly<Record<string, string>>,
    wrong: string[],
  ): Promise<Response | undefined> {
    try {
      const answer = await this.#browser.post(this.#path + path, fields);
      const isSignIn = answer.headers.get('location')?.startsWith('/sign-in') === true;
      if (answer.status < 400 && !isSignIn) return answer;
      this.#refused(answer, `POST ${path}`, wrong);
    } catch {
      this.seen.failed++;
    }
    return undefined;
  }

  #refused({ status, headers }: Response, asked: string, wrong: string[]): void {
    this.seen.failed++;
    // An account may make so many keys in an hour.
    if (status < 500 && status !== 429)
      wrong.push(`the portal: ${asked}: ${status} ${headers.get('location') ?? ''}`);
  }
}

/** More units than anybody has asked for cannot be shown. */
export function judgeShownUnits(shown: number, most: number): string | undefined {
  return shown <= most ? undefined : `the portal shows ${shown} units, ${most} were asked for at the most`;
}

/** Each key that was made before is shown, once, and no other but those whose making had no answer. */
export function judgeShownKeys(
  shown: readonly string[],
  had: ReadonlySet<string>,
  maybe: ReadonlySet<string>,
): string | undefined {
  const missing = [...had].filter((name) => !shown.includes(name));
  const unknown = shown.filter((name) => !had.has(name) && !maybe.has(name));
  if (missing.length === 0 && unknown.length === 0 && new Set(shown).size === shown.length) return undefined;
  return `the portal shows the keys ${shown.join(', ')}; those of the project are ${[...had].join(', ')}`;
}
