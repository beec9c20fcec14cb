/** Scripts of the demo page that need no browser. */
import { describe, expect, it } from '@jest/globals';

/** A module of public/, which has no types. */
async function moduleOf<T>(name: string): Promise<T> {
  return (await import(`../../public/demo/${name}.js`)) as T;
}

interface Amounts {
  readonly formatAmount: (amount: bigint, decimals: number | null) => string;
  readonly shortAmount: (amount: bigint, decimals: number) => string;
  readonly scaleMarks: (max: bigint) => bigint[];
  readonly placeOf: (amount: bigint, top: bigint) => number;
}
const { formatAmount, shortAmount, scaleMarks, placeOf } = await moduleOf<Amounts>('amounts');

describe('amounts on the demo page', () => {
  it.each<[bigint, number | null, string]>([
    [1_250_000_000_000n, 6, '1,250,000.000000'],
    [1n, 18, '0.000000000000000001'],
    [0n, 18, '0.000000000000000000'],
    [56_834_711_999_999_997_606n, 18, '56.834711999999997606'],
    [12_345n, 0, '12,345'],
    [7n, null, '7'],
    [
      2n ** 256n - 1n,
      18,
      '115,792,089,237,316,195,423,570,985,008,687,907,853,269,984,665,640,564,039,457.584007913129639935',
    ],
  ])('%s with %s decimals is exactly %s', (amount, decimals, text) => {
    expect(formatAmount(amount, decimals)).toBe(text);
  });

  it('drops trailing zeros on a scale', () => {
    expect([
      shortAmount(20n * 10n ** 18n, 18),
      shortAmount(5n * 10n ** 17n, 18),
      shortAmount(100n, 0),
    ]).toEqual(['20', '0.5', '100']);
  });

  it.each([1n, 2n, 9n, 56_834_711n, 10n ** 40n, 2n ** 256n - 1n])(
    'a scale for %s begins at 0, covers it, and has a few round marks',
    (max) => {
      const marks = scaleMarks(max);
      expect(marks[0]).toBe(0n);
      expect(marks.at(-1)! >= max).toBe(true);
      expect(marks.length).toBeGreaterThanOrEqual(2);
      expect(marks.length).toBeLessThanOrEqual(11);
      expect(placeOf(max, marks.at(-1)!)).toBeLessThanOrEqual(1);
    },
  );
});

interface Point {
  readonly height: number;
  readonly amount: bigint | null;
}
interface SeriesModule {
  readonly seriesOf: (question: object, from: number, to: number) => { readonly points: number };
  readonly pointsIn: (answer: { points: object[] }) => Point[];
  readonly absenceInWords: (point: Point) => string;
  readonly countChanges: (points: readonly Point[]) => { all: number; exact: number };
}
const { seriesOf, pointsIn, absenceInWords, countChanges } = await moduleOf<SeriesModule>('series');

describe('the picture’s series', () => {
  it.each([
    [5, 5, 2],
    [5, 6, 2],
    [18_000_030, 18_000_038, 9],
    [0, 20_000_000, 120],
  ])('from %i to %i asks for %i points', (from, to, points) => {
    const asked = seriesOf({ token: '', holder: 'h' }, from, to);
    expect(asked).toEqual({ token: '', holder: 'h', from, to, points });
  });

  it('has exact amounts, and none where there was no token', () => {
    const answer = {
      points: [
        { block: 1, date: 'd', balance: null },
        { block: 2, date: 'e', balance: String(2n ** 90n) },
      ],
    };
    expect(pointsIn(answer)).toEqual([
      { height: 1, date: 'd', amount: null },
      { height: 2, date: 'e', amount: 2n ** 90n },
    ]);
  });

  it('distinguishes changes that are located to the block from others', () => {
    const points = [1n, 1n, 2n, 3n].map((amount, i) => ({ height: [0, 1, 2, 9][i]!, amount }));
    expect(countChanges(points)).toEqual({ all: 2, exact: 1 });
    expect(countChanges([])).toEqual({ all: 0, exact: 0 });
  });

  it('takes a balance that the token did not tell for no change, and for none that is known', () => {
    const answer = {
      points: [
        { block: 1, balance: null, reason: 'no-contract' },
        { block: 2, balance: '0' },
        { block: 3, balance: '5' },
        { block: 4, balance: null, reason: 'no-balance' },
        { block: 5, balance: '5' },
        { block: 6, balance: null, reason: 'no-balance' },
        { block: 7, balance: '6' },
      ],
    };
    const points = pointsIn(answer);
    expect(countChanges(points)).toEqual({ all: 2, exact: 1 });
    expect([points[0]!, points[3]!].map(absenceInWords)).toEqual(['none', 'not known']);
  });
});

interface Refused {
  readonly name: string;
  readonly status: number;
  readonly message: string;
}
interface ClientModule {
  readonly createClient: (
    settings: { apiUrl: string; network: string; demoKey: string },
    world: {
      fetch(url: string, init: { headers: Record<string, string> }): Promise<Response>;
      wait(ms: number, signal?: AbortSignal): Promise<void>;
      now(): number;
      onWait(seconds: number): void;
    },
  ) => {
    ask(
      question: { token: string; holder: string; block?: number },
      signal?: AbortSignal,
    ): Promise<{ json: unknown; url: string }>;
  };
  readonly curlOf: (url: string, key: string) => string;
}
const { createClient, curlOf } = await moduleOf<ClientModule>('client');

const SETTINGS = { apiUrl: 'http://api.test', network: 'eth-mainnet', demoKey: 'hs_demo' };
const QUESTION = { token: '0xabc', holder: 'a&b=c', block: 7 };

/** A client whose time passes only by waiting; answers come in order. */
function clientWith(...answers: (() => Response | Error)[]) {
  let now = 0;
  const sentAt: number[] = [];
  const waits: number[] = [];
  const client = createClient(SETTINGS, {
    fetch: async () => {
      sentAt.push(now);
      const answer = answers.shift()!();
      if (answer instanceof Error) throw answer;
      return answer;
    },
    wait: async (ms, signal) => {
      signal?.throwIfAborted();
      now += ms;
    },
    now: () => now,
    onWait: (seconds) => waits.push(seconds),
  });
  return { client, sentAt, waits };
}

const ok = () => Response.json({ balance: '1' });
const busy = (seconds: string) => () =>
  Response.json({ message: 'slower, please' }, { status: 429, headers: { 'retry-after': seconds } });

describe('the demo’s questions to the gateway', () => {
  it('go out no faster than two a second', async () => {
    const { client, sentAt } = clientWith(ok, ok, ok);
    for (let i = 0; i < 3; i++) await client.ask(QUESTION);
    expect(sentAt).toEqual([0, 520, 1040]);
  });

  it('wait as long as the gateway says, report that, and continue', async () => {
    const { client, sentAt, waits } = clientWith(busy('3'), ok);
    const { url } = await client.ask(QUESTION);
    expect(sentAt).toEqual([0, 3000]);
    expect(waits).toEqual([3, 0]);
    expect(url).toBe(
      'http://api.test/v1/eth-mainnet/balance/single?token_address=0xabc&holder=a%26b%3Dc&block_height=7',
    );
  });

  it('ask for a series at once', async () => {
    const { client } = clientWith(ok, ok);
    const series = { ...QUESTION, from: 1, to: 9, points: 5 };
    expect((await client.ask(series)).url).toBe(
      'http://api.test/v1/eth-mainnet/balance/series?token_address=0xabc&holder=a%26b%3Dc&from=1&to=9&points=5',
    );
    expect((await client.ask({ ...series, token: '' })).url).toContain('?token_address=native&');
  });

  it('slow down after that, since others share the address, and speed up again later', async () => {
    const { client, sentAt } = clientWith(busy('1'), ok, ok, ok);
    for (let i = 0; i < 3; i++) await client.ask(QUESTION);
    expect(sentAt).toEqual([0, 1000, 2040, 2976]);
  });

  it('stop with the gateway’s message when the month is used up', async () => {
    const { client, waits } = clientWith(busy('864000'));
    const refused = (await client.ask(QUESTION).catch((error: unknown) => error)) as Refused;
    expect(refused).toMatchObject({ name: 'Refusal', status: 429, message: 'slower, please' });
    expect(waits).toEqual([]);
  });

  it('name the gateway that cannot be reached', async () => {
    const { client } = clientWith(() => new TypeError('fetch failed'));
    await expect(client.ask(QUESTION)).rejects.toMatchObject({
      status: 0,
      message: expect.stringContaining('http://api.test'),
    });
  });

  it('report a truncated answer', async () => {
    const { client } = clientWith(() => new Response('{"balance": "1'));
    await expect(client.ask(QUESTION)).rejects.toMatchObject({
      name: 'Refusal',
      status: 0,
      message: expect.stringContaining('broke off'),
    });
  });

  it('are not sent once they are cancelled', async () => {
    const { client, sentAt } = clientWith(ok);
    await expect(client.ask(QUESTION, AbortSignal.abort())).rejects.toThrow('abort');
    expect(sentAt).toEqual([]);
  });

  it('do not wait for those that were cancelled, as each step of a slider is by the next', async () => {
    const { client, sentAt } = clientWith(ok, ok, ok);
    await client.ask(QUESTION);
    const steps = Array.from({ length: 40 }, () => client.ask(QUESTION, AbortSignal.abort()));
    await Promise.all([client.ask(QUESTION), client.ask(QUESTION), Promise.allSettled(steps)]);
    expect(sentAt).toEqual([0, 520, 1040]);
  });

  it('are shown as one shell command, whatever the user typed', () => {
    expect(curlOf("http://x/?holder=a'b", 'k')).toBe(
      String.raw`curl -H 'x-api-key: k' 'http://x/?holder=a'\''b'`,
    );
  });
});

interface PagesModule {
  readonly MOST_PAGES: number;
  readonly readPages: (
    client: object,
    question: object,
    onPage?: (pages: object[]) => void,
  ) => Promise<object[]>;
  readonly unreadIn: (pages: readonly object[]) => Set<string>;
  readonly noneOpenInWords: (pages: readonly object[]) => string;
}
const { MOST_PAGES, readPages, unreadIn, noneOpenInWords } = await moduleOf<PagesModule>('pages');

describe('the pages of a list on the wallet page', () => {
  it.each([
    [1, 1],
    [3, 3],
    [MOST_PAGES, MOST_PAGES],
    [MOST_PAGES + 1, MOST_PAGES],
  ])('of %i pages, %i are read, each with the parameters of the first', async (there, read) => {
    const asked: (string | undefined)[] = [];
    const ask = ({ params }: { params: { holder: string; cursor?: string } }): Promise<object> => {
      expect(params.holder).toBe('h');
      asked.push(params.cursor);
      const at = Number(params.cursor ?? 1);
      return Promise.resolve({ json: { at, next: at < there ? String(at + 1) : null } });
    };
    const shown: number[] = [];
    const question = { endpoint: 'portfolio', params: { holder: 'h' } };
    const pages = await readPages({ ask }, question, ({ length }) => void shown.push(length));
    expect(pages).toMatchObject(Array.from({ length: read }, (_, i) => ({ at: i + 1 })));
    expect((pages.at(-1) as { next: string | null }).next === null).toBe(there === read);
    expect(asked).toHaveLength(read);
    expect(shown).toHaveLength(there === read ? read - 1 : read);
  });

  it('have each contract once that gave no answer', () => {
    const pages = [{ a: 'cut', b: 'no_answer' }, { b: 'no_answer' }, { c: 'too_costly' }];
    const unread = unreadIn(pages.map((unread_reasons) => ({ asked: { unread_reasons } })));
    expect([...unread]).toEqual(['b', 'c']);
  });

  it.each([
    ['None were open.', [], true],
    ['None were found.', [], false],
    ['None were found.', [{ reason: 'no_answer' }], true],
  ])('say “%s” where no approval is listed, of %j and complete: %s', (words, unread, complete) => {
    expect(noneOpenInWords([{ asked: { unread, complete } }])).toBe(words);
  });
});

interface HoldersModule {
  readonly holderPoints: (series: { points: readonly object[] }) => object[];
  readonly countInWords: (count: { holders: number | null; errors: number }) => string;
  readonly noneInWords: (count: { errors: number }) => string;
}
const { holderPoints, countInWords, noneInWords } = await moduleOf<HoldersModule>('holders');

it.each([
  [{ holders: null, errors: 0 }, null, 'no such token', 'No holders.'],
  [{ holders: 1_200, errors: 0 }, 1_200n, '1,200', 'No holders.'],
  [{ holders: 1_200, errors: 6 }, 1_200n, 'at least 1,200', 'No holders were found.'],
  [{ holders: 1_200, errors: 7 }, null, 'at least 1,200', 'No holders were found.'],
  [{ holders: 0, errors: 1 }, null, 'at least 0', 'No holders were found.'],
])('the number of holders by %j is %s on the chart, and "%s"', (count, amount, words, none) => {
  expect(holderPoints({ points: [{ block: 7, ...count }] })).toEqual([{ height: 7, amount }]);
  expect([countInWords(count), noneInWords(count)]).toEqual([words, none]);
});

interface Questions {
  readonly tokenOf: (text: string) => string;
  readonly tokenText: (token: string) => string;
  readonly questionOf: (search: string, standard: object) => Record<string, unknown>;
  readonly searchOf: (question: object) => string;
}
interface QuestionModule {
  readonly createQuestions: (settings: {
    network: string;
    coin: { symbol: string };
    several: boolean;
  }) => Questions;
}
const { createQuestions } = await moduleOf<QuestionModule>('question');
const mainnet = { network: 'eth-mainnet', coin: { symbol: 'ETH' }, several: false };

describe('the URL of a picture', () => {
  const { tokenOf, questionOf, searchOf } = createQuestions(mainnet);

  it('restores the same question', () => {
    const question = { token: '', holder: 'bob.eth', from: 5, to: 9, block: 7 };
    expect(questionOf(searchOf(question), {})).toEqual(question);
  });

  it('falls back to the default for missing or invalid values', () => {
    expect(questionOf('', { token: 't', holder: 'h', from: 1 })).toMatchObject({
      token: 't',
      holder: 'h',
      from: 1,
    });
    expect(questionOf('?holder=h&from=-1&to=x&token=usdc', { from: 3 })).toMatchObject({
      from: 3,
      to: undefined,
      token: tokenOf('USDC'),
    });
  });

  it('names the network where there are several', () => {
    const question = { token: '', holder: 'bob.eth', from: 5 };
    const { searchOf: search } = createQuestions({ ...mainnet, several: true });
    expect(search(question)).toBe('?network=eth-mainnet&token=ETH&holder=bob.eth&from=5');
    expect(searchOf(question)).toBe('?token=ETH&holder=bob.eth&from=5');
  });
});

describe('a token on the demo page', () => {
  it('is known by its symbol on mainnet', () => {
    const { tokenOf, tokenText } = createQuestions(mainnet);
    expect([tokenOf('ETH'), tokenOf(' ether '), tokenOf('')]).toEqual(['', '', '']);
    expect(tokenOf('usdc')).toBe('0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48');
    expect([tokenText(''), tokenText(tokenOf('UNI'))]).toEqual(['ETH', 'UNI']);
  });

  it('is an address or the native coin on any other network: mainnet’s contracts are not there', () => {
    const coin = { symbol: 'xDAI' };
    const { tokenOf, tokenText } = createQuestions({ network: 'gnosis-mainnet', coin, several: true });
    expect([tokenOf('xdai'), tokenOf('native'), tokenOf('')]).toEqual(['', '', '']);
    expect([tokenOf('USDC'), tokenOf('ETH')]).toEqual(['USDC', 'ETH']);
    expect(tokenText('')).toBe('xDAI');
  });
});
