import { once } from 'node:events';
import { get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';

/** An answer that is read as it comes. */
export interface OpenStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Everything received, once it contains the text `times` times. @throws if the answer ends before */
  until(text: string, times?: number): Promise<string>;
  /** Everything received, at the end. @throws if the answer is cut off */
  end(): Promise<string>;
  leave(): void;
}

/** Asks over a separate connection, which ends with the answer. */
export async function openStream(url: string, headers: Record<string, string> = {}): Promise<OpenStream> {
  const asked = get(url, { agent: false, headers });
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const chunks = answer.setEncoding('utf8')[Symbol.asyncIterator]() as AsyncIterator<string, undefined>;
  let text = '';
  const more = async (): Promise<boolean> => {
    const { done, value } = await chunks.next();
    text += value ?? '';
    return done !== true;
  };
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    async until(wanted, times = 1) {
      while (text.split(wanted).length <= times)
        if (!(await more())) throw new Error(`the answer ended:\n${text}`);
      return text;
    },
    async end() {
      while (await more());
      return text;
    },
    leave: () => void asked.destroy(),
  };
}
