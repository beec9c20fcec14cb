/** The same request in each language: `x-codeSamples` of an operation. */
import { curl } from './curl.ts';
import { go } from './go.ts';
import { python } from './python.ts';
import type { SampleRequest } from './request.ts';
import { typescript } from './typescript.ts';

/** A program, as `x-codeSamples` has it. */
export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

export function samplesOf(request: SampleRequest): readonly CodeSample[] {
  return [curl, typescript, python, go].map((language) => ({
    lang: language.lang,
    label: language.label,
    source: language.write(request),
  }));
}
