import { InvalidAnswer } from './errors.ts';

/** The records of an answer of one JSON object a line. What follows the last line end is no record. */
export async function* readRecords<T>(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<T, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield parsed<T>(line, 'a line of the answer');
  }
}

/** An object or a list of an answer. @param what names the text in the error @throws {InvalidAnswer} for any other text */
export function parsed<T>(text: string, what: string): T {
  let cause: unknown;
  try {
    const value: unknown = JSON.parse(text);
    if (Object(value) === value) return value as T;
  } catch (error) {
    cause = error;
  }
  throw new InvalidAnswer(`${what} is not JSON of the API: is this its address?`, { cause });
}
