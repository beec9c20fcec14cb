/** The function of a strategy that is described by its JSON ABI: one that returns a number. Pure. */
import { badRequest } from '@hindsight/kernel/errors.ts';
import { z } from 'zod';
import { parseFunction, type AbiFunction } from '../domain/call/signature.ts';

const MAX_PARAMETERS = 32;
const parameter = z.object({
  name: z.string().max(100).optional(),
  type: z.string().regex(/^[a-z0-9[\]]{1,64}$/, 'expected a type such as uint256; tuples are not read'),
});
const parameters = z.array(parameter).max(MAX_PARAMETERS);

/** A function as JSON ABIs have it; further fields say nothing that is needed. */
export const methodSchema = z.object({
  name: z.string().regex(/^[A-Za-z_$][\w$]{0,127}$/, 'expected the name of a function'),
  inputs: parameters.default([]),
  outputs: parameters,
});

/** A function, and which of its values is the score. */
export interface Method {
  readonly called: AbiFunction;
  readonly output: number;
}

/**
 * Reads a method.
 * @param output the name or place of the score among several values
 * @throws {ApiError} 400 where it cannot be read, or returns no such number
 */
export function readMethod(
  { name, inputs, outputs }: z.output<typeof methodSchema>,
  output: string | number | undefined,
): Method {
  const types = (list: typeof inputs): string => list.map(({ type }) => type).join(',');
  const called = parseFunction(`${name}(${types(inputs)}) returns (${types(outputs)})`);
  const named = outputs.findIndex((one) => one.name === output);
  const at = output === undefined && outputs.length === 1 ? 0 : named === -1 ? Number(output) : named;
  const kind = called.outputs[at]?.type.kind;
  if (kind === 'uint' || kind === 'int') return { called, output: at };
  throw badRequest('methodABI: expected a function that returns one number, or several and the output');
}
