import { z } from 'zod';

/** A parameter's text, made a value. @param read refuses a text with its fault */
export function textParam<T>(read: (text: string, refuse: (fault: string) => never) => T) {
  return z.string().transform((text, context) =>
    read(text, (fault) => {
      context.addIssue(fault);
      return z.NEVER;
    }),
  );
}
