import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Logger } from '@hindsight/kernel/logger.ts';

/** A Fastify instance whose routes take zod schemas. */
export type HttpServer = FastifyInstance<Server, IncomingMessage, ServerResponse, Logger, ZodTypeProvider>;
