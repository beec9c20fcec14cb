/**
 * Resolves the names of the product's own modules without the disk, which is a fifth of the time that their loading takes. Node
 * looks each of some 2,300 imports up in every folder above its file, though a path that ends in `.ts` says all of it, and the
 * name of a shared package means the same module everywhere.
 */
import { registerHooks, type ResolveFnOutput } from 'node:module';

const PACKAGES = '@hindsight/';
const isOwnPath = (specifier: string): boolean => specifier.startsWith('.') && specifier.endsWith('.ts');

const resolved = new Map<string, ResolveFnOutput>();

registerHooks({
  resolve(specifier, context, next) {
    if (isOwnPath(specifier) && context.parentURL !== undefined)
      return { url: new URL(specifier, context.parentURL).href, shortCircuit: true };
    if (!specifier.startsWith(PACKAGES)) return next(specifier, context);
    let known = resolved.get(specifier);
    if (known === undefined) {
      known = { ...next(specifier, context), shortCircuit: true };
      resolved.set(specifier, known);
    }
    return known;
  },
});
