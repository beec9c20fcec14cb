import { KEY_VARIABLE, type Language, type SampleRequest } from './request.ts';

/** With the standard library alone, as `gofmt` has it. */
export const go: Language = {
  lang: 'Go',
  label: 'Go',
  write({ method, url, query, body, file }: SampleRequest): string {
    const pairs = Object.entries(query).map(
      ([name, value]) => `\tquery.Set("${name}", ${JSON.stringify(value)})`,
    );
    const hasQuery = pairs.length > 0;
    const packages = [
      'encoding/json',
      ...(file === undefined ? ['fmt'] : []),
      'io',
      'log',
      'net/http',
      ...(hasQuery ? ['net/url'] : []),
      'os',
      ...(body === undefined ? [] : ['strings']),
    ];
    return [
      'package main',
      '',
      'import (',
      ...packages.map((name) => `\t"${name}"`),
      ')',
      '',
      'func main() {',
      ...(hasQuery ? ['\tquery := url.Values{}', ...pairs] : []),
      ...(body === undefined ? [] : [`\tbody := strings.NewReader(${textOf(body.text)})`]),
      `\trequest, err := http.NewRequest("${method}", "${url}${hasQuery ? '?"+query.Encode()' : '"'}, ${body === undefined ? 'nil' : 'body'})`,
      ...FAIL,
      `\trequest.Header.Set("x-api-key", os.Getenv("${KEY_VARIABLE}"))`,
      ...(body === undefined ? [] : [`\trequest.Header.Set("content-type", "${body.type}")`]),
      '\tresponse, err := http.DefaultClient.Do(request)',
      ...FAIL,
      '\tdefer response.Body.Close()',
      '\tif response.StatusCode >= 400 {',
      '\t\tvar problem struct {',
      '\t\t\tCode      string `json:"code"`',
      '\t\t\tMessage   string `json:"message"`',
      '\t\t\tRequestID string `json:"request_id"`',
      '\t\t}',
      '\t\tif err := json.NewDecoder(response.Body).Decode(&problem); err != nil {',
      '\t\t\tlog.Fatal(err)',
      '\t\t}',
      '\t\tlog.Fatalf("%s: %s (request %s)", problem.Code, problem.Message, problem.RequestID)',
      '\t}',
      ...(file === undefined ? [] : [`\tfile, err := os.Create("${file}")`, ...FAIL]),
      `\tif _, err := io.Copy(${file === undefined ? 'os.Stdout' : 'file'}, response.Body); err != nil {`,
      '\t\tlog.Fatal(err)',
      '\t}',
      ...(file === undefined
        ? ['\tfmt.Println()']
        : ['\tif err := file.Close(); err != nil {', '\t\tlog.Fatal(err)', '\t}']),
      '}',
      '',
    ].join('\n');
  },
};

const FAIL = ['\tif err != nil {', '\t\tlog.Fatal(err)', '\t}'];

function textOf(text: string): string {
  return text.includes('`') || text.includes('\n') ? JSON.stringify(text) : `\`${text}\``;
}
