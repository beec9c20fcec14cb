import { parseSetCookie } from 'cookie';

/** Redirects that a browser follows before it stops. */
const MAX_REDIRECTS = 15;

type Headers = Readonly<Record<string, string>>;

/** A test's browser: it keeps cookies, names its origin with forms, and follows redirects only on request. */
export class Browser {
  readonly #home: string;
  readonly #headers: Headers;
  readonly #jars = new Map<string, Map<string, string>>();

  /** @param headers sent with every request */
  constructor(home: string, headers: Headers = {}) {
    this.#home = home;
    this.#headers = {
      accept: 'text/html',
      'user-agent': 'Mozilla/5.0 (X11; Linux) Firefox/140.0',
      ...headers,
    };
  }

  get(path: string, headers: Headers = {}): Promise<Response> {
    return this.#fetch(new URL(path, this.#home), { headers });
  }

  /** Sends a form, as a page of the portal does. */
  post(
    path: string,
    fields: Readonly<Record<string, string>> = {},
    headers: Headers = {},
  ): Promise<Response> {
    const body = new URLSearchParams(fields);
    return this.#fetch(new URL(path, this.#home), {
      method: 'POST',
      body,
      headers: { origin: this.#home, ...headers },
    });
  }

  /** Sends JSON, as a script of the portal does. */
  postJson(path: string, body: object, headers: Headers = {}): Promise<Response> {
    return this.#fetch(new URL(path, this.#home), {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { origin: this.#home, accept: '*/*', 'content-type': 'application/json', ...headers },
    });
  }

  /** Follows redirects, across sites. `until` stops before an address is requested. */
  async follow(response: Response, until?: (url: URL) => boolean): Promise<{ url: URL; response: Response }> {
    let at = new URL(response.url);
    for (let i = 0; i < MAX_REDIRECTS; i++) {
      const location = response.headers.get('location');
      if (location === null) return { url: at, response };
      at = new URL(location, at);
      if (until?.(at)) return { url: at, response };
      response = await this.#fetch(at, {});
    }
    throw new Error('too many redirects');
  }

  cookie(name: string): string | undefined {
    return this.#jar(new URL(this.#home)).get(name);
  }

  setCookie(name: string, value: string): void {
    this.#jar(new URL(this.#home)).set(name, value);
  }

  #jar({ origin }: URL): Map<string, string> {
    const jar = this.#jars.get(origin) ?? new Map<string, string>();
    this.#jars.set(origin, jar);
    return jar;
  }

  async #fetch(url: URL, init: RequestInit & { headers?: Headers }): Promise<Response> {
    const jar = this.#jar(url);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...this.#headers, ...(cookie === '' ? {} : { cookie }), ...init.headers };
    const response = await fetch(url, {
      ...init,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(300_000),
    });
    for (const line of response.headers.getSetCookie()) {
      const { name, value = '', maxAge } = parseSetCookie(line);
      if (value === '' || maxAge === 0) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }
}
