import type { FastifyServerOptions } from 'fastify';
import { serializerCompiler } from 'fastify-type-provider-zod';
import { validateWithZod } from './validation.ts';

const compilersFactory = { buildValidator: () => validateWithZod, buildSerializer: () => serializerCompiler };

/**
 * Schemas are zod's. Fastify has to know when it is made: otherwise it loads its own compilers for JSON Schema, a hundred
 * modules, before it is given others. Its types know those alone.
 */
export const ZOD_COMPILERS = { compilersFactory } as unknown as NonNullable<
  FastifyServerOptions['schemaController']
>;
