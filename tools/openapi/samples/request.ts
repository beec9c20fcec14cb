/** The request that the samples of an operation make. */
export interface SampleRequest {
  readonly method: string;
  /** Base URL and path, without the query. */
  readonly url: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: { readonly type: string; readonly text: string } | undefined;
  /** The answer comes in lines, to be read as they come. */
  readonly lines: boolean;
}

/** A language's way of making a request: whole programs, that end with an error where the API answers with one. */
export interface Language {
  /** As `x-codeSamples` names it. */
  readonly lang: string;
  readonly label: string;
  write(request: SampleRequest): string;
}

/** Where samples read the API key. */
export const KEY_VARIABLE = 'HINDSIGHT_API_KEY';
