/** Asks the gateway, no faster than the demo key may: one call at a time, paced, waiting if told to. */

/** A failure of the gateway, or of the way to it. */
export class Refusal extends Error {
  /** @param status HTTP status; 0 when no answer came */
  constructor(message, status) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
  }
}

/** The demo key allows an address two questions a second; other pages of the same address may leave fewer. */
const LEAST_GAP_MS = 520;
const MAX_GAP_MS = 4_000;
const MAX_WAITS = 12;

/**
 * @param settings {apiUrl, network, demoKey}
 * @param world {fetch, wait(ms, signal), now(), onWait(seconds)}; onWait is called when the gateway demands a
 * wait, and with 0 when that is over
 */
export function createClient({ apiUrl, network, demoKey }, world) {
  let nextAt = 0;
  let gap = LEAST_GAP_MS;

  /** @returns {Promise<{json: object, url: string}>} @throws {Refusal | DOMException} */
  async function ask(question, signal) {
    const { response, url } = await request(question, signal);
    return { json: await read(response), url };
  }

  /** The same for an answer other than JSON. @returns {Promise<{response: Response, url: string}>} */
  async function request(question, signal) {
    const url = urlOf({ apiUrl, network }, question);
    for (let waits = 0; ; waits++) {
      // Of several that wait, the first to wake goes, and the others wait again; a cancelled one holds up none.
      do await world.wait(Math.max(nextAt - world.now(), 0), signal);
      while (nextAt > world.now());
      nextAt = world.now() + gap;
      if (waits > 0) world.onWait(0);
      const response = await send(url, question, signal);
      if (response.ok) {
        gap = Math.max(LEAST_GAP_MS, gap * 0.9);
        return { response, url };
      }
      const seconds = patience(response);
      if (seconds === null || waits >= MAX_WAITS) throw await refusal(response);
      gap = Math.min(MAX_GAP_MS, gap * 2);
      nextAt = Math.max(nextAt, world.now() + seconds * 1000);
      world.onWait(seconds);
    }
  }

  async function send(url, { method = 'GET', accept = '*/*' }, signal) {
    const headers = { 'x-api-key': demoKey, accept };
    try {
      return await world.fetch(url, { method, headers, signal, credentials: 'omit' });
    } catch (error) {
      if (error.name === 'AbortError') throw error;
      throw new Refusal(`The gateway at ${apiUrl} cannot be reached from this page.`, 0);
    }
  }

  async function read(response) {
    try {
      return await response.json();
    } catch (error) {
      if (error.name === 'AbortError') throw error;
      throw new Refusal(`The answer of the gateway at ${apiUrl} broke off.`, 0);
    }
  }

  return { ask, request };
}

/**
 * A client in a browser.
 * @param onBusy called with a sentence for the reader when the gateway demands a wait, and with null when that is over
 */
export function createBrowserClient(settings, onBusy) {
  return createClient(settings, {
    fetch: (url, init) => fetch(url, init),
    wait,
    now: () => performance.now(),
    onWait: (seconds) =>
      onBusy(seconds > 0 ? `The shared demo key is busy. Continuing in ${seconds} s.` : null),
  });
}

/** A fault in words for the reader. */
export function wordsOf(error) {
  return error instanceof Refusal ? error.message : 'Something went wrong. Reload the page.';
}

/** Seconds that the gateway demands; null when waiting would be no use. */
function patience(response) {
  if (response.status !== 429 && response.status !== 503) return null;
  const seconds = Number(response.headers.get('retry-after'));
  // A used-up month means days: report it, don't wait.
  return Number.isFinite(seconds) && seconds >= 0 && seconds <= 30 ? Math.max(seconds, 1) : null;
}

async function refusal(response) {
  const body = await response.json().catch(() => null);
  const message =
    typeof body?.message === 'string' ? body.message : `The gateway answered ${response.status}.`;
  return new Refusal(message, response.status);
}

/**
 * The URL of a question: {token, holder, block?, date?}, or {token, holder, from, to, points} for a series;
 * without a token it is about the native coin. Any other endpoint: {endpoint, params}, also with a method and what to accept.
 */
export function urlOf({ apiUrl, network }, question) {
  if (question.endpoint)
    return `${apiUrl}/v1/${network}/${question.endpoint}?${new URLSearchParams(question.params)}`;
  const { token, holder, block, date, from, to, points } = question;
  if (points !== undefined) {
    const series = new URLSearchParams({ token_address: token || 'native', holder, from, to, points });
    return `${apiUrl}/v1/${network}/balance/series?${series}`;
  }
  const query = new URLSearchParams();
  if (token !== '') query.set('token_address', token);
  query.set('holder', holder);
  if (block !== undefined) query.set('block_height', String(block));
  if (date !== undefined) query.set('date', date);
  return `${apiUrl}/v1/${network}/balance/${token === '' ? 'native' : 'single'}?${query}`;
}

/** The same question for a terminal. */
export function curlOf(url, demoKey) {
  const quote = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  return `curl -H ${quote(`x-api-key: ${demoKey}`)} ${quote(url)}`;
}

/** Resolves after `ms`; rejects as soon as the signal is aborted. */
function wait(ms, signal) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
