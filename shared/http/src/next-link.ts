/**
 * The header `Link` of an answer that goes on in another one.
 * @param url of the request, relative to the server
 * @param changes its parameters in the next request; undefined: left out
 */
export function nextLink(url: string, changes: Readonly<Record<string, string | undefined>>): string {
  const [path = '', query] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes))
    if (value === undefined) parameters.delete(name);
    else parameters.set(name, value);
  return `<${path}?${parameters.toString()}>; rel="next"`;
}
