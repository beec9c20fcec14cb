/**
 * The compiled form of modules, kept in a process of tests: each suite loads its modules again, and to parse them takes a
 * tenth of its processor time. V8's own cache would keep the modules themselves, with all that they hold.
 */
import type vm from 'node:vm';

/** The part of `node:vm` by which Jest loads modules. */
export type ModuleCompilers = Pick<typeof vm, 'SourceTextModule' | 'compileFunction'>;

interface Compiled {
  readonly source: string;
  readonly code: Buffer;
}

/** Lacking in @types/node: https://nodejs.org/api/vm.html#sourcetextmodulecreatecacheddata */
interface Cacheable {
  createCachedData(): Buffer;
}

/** Makes both compilers keep the compiled form of each source, for the next module of that name and source. */
export function keepCompiled(compilers: ModuleCompilers): void {
  const modules = new Map<string, Compiled>();
  const functions = new Map<string, Compiled>();

  compilers.SourceTextModule = new Proxy(compilers.SourceTextModule, {
    construct(Module, [source, options]: ConstructorParameters<typeof vm.SourceTextModule>) {
      const name = options?.identifier ?? '';
      const known = modules.get(name);
      if (known?.source === source) {
        try {
          return new Module(source, { ...options, cachedData: known.code });
        } catch (error) {
          // V8's flags have changed since.
          if ((error as NodeJS.ErrnoException).code !== 'ERR_VM_MODULE_CACHED_DATA_REJECTED') throw error;
        }
      }
      const module = new Module(source, options) as vm.SourceTextModule & Cacheable;
      // A suite is loaded once.
      if (!name.endsWith('.test.ts')) modules.set(name, { source, code: module.createCachedData() });
      return module;
    },
  });

  compilers.compileFunction = new Proxy(compilers.compileFunction, {
    apply(compile, _self, [source, parameters, options]: Parameters<typeof vm.compileFunction>) {
      const name = options?.filename ?? '';
      const known = functions.get(name);
      const kept = known?.source === source ? { cachedData: known.code } : { produceCachedData: true };
      const compiled = compile(source, parameters, { ...options, ...kept });
      if (compiled.cachedData !== undefined) functions.set(name, { source, code: compiled.cachedData });
      return compiled;
    },
  });
}
