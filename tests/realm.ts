/** The realm that all suites of a process share: what jest compiles runs in it, and each suite leaves it as it was. */
import type vm from 'node:vm';

/** The part of `node:vm` by which jest loads modules. */
type Compilers = Pick<typeof vm, 'SourceTextModule' | 'SyntheticModule' | 'compileFunction'>;

/** Makes jest's modules run where all others do: leaves out the context that jest names for each. */
export function compileHere(compilers: Compilers): void {
  compilers.SourceTextModule = new Proxy(compilers.SourceTextModule, {
    construct: (Module, [source, options]: ConstructorParameters<typeof vm.SourceTextModule>) =>
      new Module(source, { ...options, context: undefined }),
  });
  compilers.SyntheticModule = new Proxy(compilers.SyntheticModule, {
    construct: (Module, [names, evaluate, options]: ConstructorParameters<typeof vm.SyntheticModule>) =>
      new Module(names, evaluate, { ...options, context: undefined }),
  });
  compilers.compileFunction = new Proxy(compilers.compileFunction, {
    apply: (compile, _self, [source, parameters, options]: Parameters<typeof vm.compileFunction>) =>
      compile(source, parameters, { ...options, parsingContext: undefined }),
  });
}

/** Records what a suite may change of its process, and the intervals that it begins. @returns restores it, and ends them */
export function rememberRealm(): () => void {
  const globals = Object.getOwnPropertyDescriptors(globalThis) as PropertyDescriptorMap;
  const environment = { ...process.env };
  const folder = process.cwd();
  const { exitCode } = process;
  // jest replaces the first, and graceful-fs the others: each replacement would keep its whole suite alive.
  const functions = new Map((['exit', 'cwd', 'chdir'] as const).map((name) => [name, process[name]]));
  const intervals = new Set<NodeJS.Timeout>();
  const begin = globalThis.setInterval;
  globalThis.setInterval = (...given: Parameters<typeof setInterval>) => {
    const interval = begin(...given);
    intervals.add(interval);
    return interval;
  };
  const listeners = new Map(process.eventNames().map((name) => [name, new Set(process.rawListeners(name))]));

  return () => {
    // One that goes on would set timers on the clock of a later suite, which may count them.
    for (const interval of intervals) clearInterval(interval);
    for (const [name, value] of functions) Object.assign(process, { [name]: value });
    for (const key of Reflect.ownKeys(globalThis))
      if (!Object.hasOwn(globals, key)) Reflect.deleteProperty(globalThis, key);
    for (const key of Reflect.ownKeys(globals)) {
      const [before, after] = [globals[key], Object.getOwnPropertyDescriptor(globalThis, key)];
      if (before !== undefined && (before.value !== after?.value || before.get !== after?.get))
        Reflect.defineProperty(globalThis, key, before);
    }
    for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
    Object.assign(process.env, environment);
    if (process.cwd() !== folder) process.chdir(folder);
    process.exitCode = exitCode;
    for (const name of process.eventNames())
      for (const listener of process.rawListeners(name))
        if (listeners.get(name)?.has(listener) !== true) process.off(name, listener as () => void);
  };
}
