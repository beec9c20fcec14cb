/** A plain JSON-RPC client for tests: it shares no code with the code under test. */
import { request } from 'node:http';
import { text } from 'node:stream/consumers';

const TIMEOUT_MS = 60_000;
const BATCH = 200;

export type Question = [method: string, ...params: unknown[]];

export interface Answer {
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

/** Asks in batches; the answers come in the order of the questions, the node's errors among them. */
export async function askAll(url: string, questions: readonly Question[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let from = 0; from < questions.length; from += BATCH) {
    const batch = questions
      .slice(from, from + BATCH)
      .map(([method, ...params], i) => ({ jsonrpc: '2.0', id: i, method, params }));
    // Nodes may answer a batch in any order.
    const unordered = (await post(url, JSON.stringify(batch))) as (Answer & { id: number })[];
    answers.push(...unordered.sort((a, b) => a.id - b.id));
  }
  return answers;
}

/** Sends JSON, and resolves to the JSON of the answer. `fetch` takes twice as much processor time. */
async function post(url: string, body: string): Promise<unknown> {
  const answer = await new Promise<string>((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      // Uncompressed: geth would compress, which costs more here than the bytes do on loopback.
      headers: { 'content-type': 'application/json', 'accept-encoding': 'identity' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    sent.on('error', reject).on('response', (received) => void text(received).then(resolve, reject));
    sent.end(body);
  });
  return JSON.parse(answer);
}

/** Asks one question; rejects with the node's error. */
export async function ask(url: string, ...question: Question): Promise<unknown> {
  const [answer] = await askAll(url, [question]);
  return resultOf(answer);
}

/** An answer's result. @throws {Error} the node's error */
export function resultOf(answer: Answer | undefined): unknown {
  const { error } = answer ?? {};
  if (error !== undefined) throw new Error(`${error.message} ${JSON.stringify(error.data ?? '')}`);
  return answer?.result;
}

/** `eth_call` at a block; the returned bytes as hex. Rejects if the call reverts. */
export async function callAt(url: string, to: string, data: string, block: number): Promise<string> {
  return (await ask(url, ...callQuestion(to, data, block))) as string;
}

export function callQuestion(to: string, data: string, block: number): Question {
  return ['eth_call', { to, data }, blockTag(block)];
}

export function blockTag(block: number): string {
  return `0x${block.toString(16)}`;
}
