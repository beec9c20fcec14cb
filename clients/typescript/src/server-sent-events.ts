/** Server-sent events, as the HTML standard has them. */

interface ServerSentEvent {
  readonly id: string | undefined;
  readonly type: string;
  readonly data: string;
}

/** The events of a stream. What follows the last blank line is no event; comments are none either. */
export async function* readEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent, void> {
  const decoder = new TextDecoder();
  let rest = '';
  let fields: Record<string, string> = {};
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) {
      const line = text.endsWith('\r') ? text.slice(0, -1) : text;
      if (line === '') {
        const { id, event: type = 'message', data } = fields;
        // An event without data sets the position alone.
        if (data !== undefined || id !== undefined)
          yield { id, type: data === undefined ? '' : type, data: data ?? '' };
        fields = {};
        continue;
      }
      const colon = line.indexOf(':');
      const name = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (name !== '') fields[name] = fields[name] === undefined ? value : `${fields[name]}\n${value}`;
    }
  }
}
