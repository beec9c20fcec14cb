import { InvalidAnswer } from './errors.ts';

/** The records of an answer of one JSON object a line. What follows the last line end is no record. */
export async function* readRecords<T>(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<T, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield parse<T>(line);
  }
}

function parse<T>(line: string): T {
  try {
    return JSON.parse(line) as T;
  } catch (cause) {
    throw new InvalidAnswer('a line of the answer is not JSON', { cause });
  }
}
