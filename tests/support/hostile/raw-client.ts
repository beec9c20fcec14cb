/**
 * An HTTP client that sends raw bytes, one request at a time, on a connection that lasts while the server
 * allows it.
 */
import { connect, type Socket } from 'node:net';

const HEAD_END = '\r\n\r\n';
/** A larger request may be refused unread: the reset of its connection then overtakes the 413. */
const MAY_BE_UNREAD = 64 * 1024;
/** The last chunk, and trailers behind it. */
const LAST_CHUNK = /\r\n0\r\n(?:[a-z-]+: [^\r\n]*\r\n)*\r\n$/i;
const MAX_TRAILERS = 1_000;
/** An answer after which the connection is closed: an event stream has no end. */
const ENDS = /\r\n(?:connection: close|content-type: text\/event-stream[^\r]*)\r\n/i;
/** Far longer than any answer takes, on any machine. */
const ANSWER_WITHIN_MS = 600_000;

/** One connection, reopened if the server has closed it. */
export class RawClient {
  readonly #url: URL;
  #socket: Socket | undefined;

  constructor(url: string) {
    this.#url = new URL(url);
  }

  /** Resolves to the status once the answer is complete. @throws {Error} if the connection ends without an answer */
  async send(bytes: string): Promise<number> {
    const socket = (this.#socket ??= await this.#open());
    return new Promise((resolve, reject) => {
      let answer = '';
      const done = (status: number | undefined): void => {
        clearTimeout(late);
        socket.removeAllListeners('data').off('close', onClose);
        if (status === undefined)
          reject(new Error(`no answer to ${bytes.slice(0, 200)}: ${answer.slice(0, 200)}`));
        else resolve(status);
      };
      socket.on('data', (chunk) => {
        answer += chunk.toString('latin1');
        const status = statusOf(answer);
        if (status === undefined) return;
        if (ENDS.test(answer.slice(0, answer.indexOf(HEAD_END) + 2))) this.close();
        done(status);
      });
      const onClose = (): void => {
        if (/^HTTP\/1\.1 (\d+)/.test(answer)) done(Number(answer.slice(9, 12)));
        else done(bytes.length > MAY_BE_UNREAD ? 413 : undefined);
      };
      socket.once('close', onClose);
      const late = setTimeout(() => {
        this.close();
        done(undefined);
      }, ANSWER_WITHIN_MS);
      socket.write(bytes, 'latin1');
    });
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #open(): Promise<Socket> {
    const { hostname, port } = this.#url;
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true }, () => {
        socket.off('error', reject);
        // Later errors show as the connection's end.
        socket.on('error', () => undefined);
        socket.once('close', () => {
          if (this.#socket === socket) this.#socket = undefined;
        });
        resolve(socket);
      });
      socket.once('error', reject);
    });
  }
}

/** The status of a complete answer. */
function statusOf(answer: string): number | undefined {
  const end = answer.indexOf(HEAD_END);
  if (end === -1) return undefined;
  const head = answer.slice(0, end);
  const status = Number(head.slice(9, 12));
  if (status === 100) return statusOf(answer.slice(end + HEAD_END.length));
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length !== undefined)
    return answer.length >= end + HEAD_END.length + Number(length) ? status : undefined;
  if (status === 204 || status === 304 || /\r\ncontent-type: text\/event-stream/i.test(head)) return status;
  return LAST_CHUNK.test(answer.slice(-MAX_TRAILERS)) ? status : undefined;
}
