import { KEY_VARIABLE, type Language, type SampleRequest } from './request.ts';

/** With the standard library alone. */
export const python: Language = {
  lang: 'Python',
  label: 'Python',
  write({ method, url, query, body, lines, file }: SampleRequest): string {
    const pairs = Object.entries(query).map(([name, value]) => `    "${name}": ${JSON.stringify(value)},`);
    const hasQuery = pairs.length > 0;
    const copies = file === undefined ? [] : ['shutil'];
    const modules = ['json', 'os', ...copies, 'sys', 'urllib.error', ...(hasQuery ? ['urllib.parse'] : [])];
    const headers = [
      `"x-api-key": os.environ["${KEY_VARIABLE}"]`,
      ...(body === undefined ? [] : [`"content-type": "${body.type}"`]),
    ];
    const isJson = body?.type === 'application/json';
    return [
      `import ${[...modules, 'urllib.request'].join(', ')}`,
      '',
      ...(hasQuery ? ['query = urllib.parse.urlencode({', ...pairs, '})'] : []),
      ...(isJson ? [`body = json.dumps(${literal(JSON.parse(body.text))}).encode()`] : []),
      ...(body !== undefined && !isJson ? [`body = ${JSON.stringify(body.text)}.encode()`] : []),
      'request = urllib.request.Request(',
      hasQuery ? `    "${url}?" + query,` : `    "${url}",`,
      ...(body === undefined ? [] : ['    data=body,']),
      `    headers={${headers.join(', ')}},`,
      ...(method === 'GET' ? [] : [`    method="${method}",`]),
      ')',
      'try:',
      '    with urllib.request.urlopen(request, timeout=30) as response:',
      ...used(lines, file),
      'except urllib.error.HTTPError as error:',
      '    problem = json.load(error)',
      `    sys.exit(f"{problem['code']}: {problem['message']} (request {problem['request_id']})")`,
      '',
    ].join('\n');
  },
};

/** The lines that take the answer. */
function used(lines: boolean, file: string | undefined): readonly string[] {
  if (file !== undefined)
    return [`        with open("${file}", "wb") as file:`, '            shutil.copyfileobj(response, file)'];
  if (lines) return ['        for line in response:', '            print(json.loads(line))'];
  return ['        print(json.dumps(json.load(response), indent=2))'];
}

/** As Python writes it: as JSON, but for three words. */
function literal(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}: ${literal(field)}`);
  return `{${fields.join(', ')}}`;
}
