/** The request that the samples of an operation make. */
export interface SampleRequest {
  readonly method: string;
  /** Base URL and path, without the query. */
  readonly url: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: { readonly type: string; readonly text: string } | undefined;
  /** The answer is a stream of lines. */
  readonly lines: boolean;
  /** The file that the answer is written to, where the answer is one. */
  readonly file?: string | undefined;
}

/** A language's samples: whole programs, that end with an error if the API answers with one. */
export interface Language {
  /** As `x-codeSamples` names it. */
  readonly lang: string;
  readonly label: string;
  write(request: SampleRequest): string;
}

/** Environment variable of the API key in samples. */
export const KEY_VARIABLE = 'HINDSIGHT_API_KEY';
