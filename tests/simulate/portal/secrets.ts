/** Knowledge of keys and sessions, and the falsehood of an answer that it contradicts. */

/** The secret of a key, or of a session. */
export interface Secret {
  readonly text: string;
  /** Undefined while nothing ends it. */
  end?: End | undefined;
  /** True while nothing can be said: what may change it is under way, or its outcome is not known. */
  isUncertain: boolean;
}

/** A clock at `most` has passed it, and one before `least` has not; Unix milliseconds. */
export interface End {
  readonly least: number;
  readonly most: number;
  /** The moment of the machine's time at which it was told. */
  readonly toldAt: number;
}

/** An answer to one who has shown a secret. */
export interface Shown {
  readonly isRefused: boolean;
  /** Clocks that decide: the earliest that the answering one may have been, and the latest of all. */
  readonly clocks: Pick<End, 'least' | 'most'>;
  /** True of an end that must have been known where the secret was shown. */
  readonly isKnown: (end: End) => boolean;
}

/** Tells what is false about an answer: undefined where nothing is. */
export function falsehoodIn({ end, isUncertain }: Secret, shown: Shown): string | undefined {
  const { isRefused, clocks, isKnown } = shown;
  if (isUncertain) return undefined;
  if (isRefused)
    return end === undefined || clocks.most < end.least ? 'refused, and has not ended' : undefined;
  return end !== undefined && clocks.least >= end.most && isKnown(end) ? 'taken, and has ended' : undefined;
}

/** Ends it at a moment, unless it ends before. */
export function endSecret(secret: Secret, end: End): void {
  if (secret.end === undefined || end.most < secret.end.most) secret.end = end;
}

/** An end for every clock. */
export function endedAt(toldAt: number): End {
  return { least: 0, most: 0, toldAt };
}
