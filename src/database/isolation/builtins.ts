import { registerHooks } from 'node:module'

/** Modules of Node that the engine, the parser and our own modules import. */
const NEEDED = new Set(['buffer', 'crypto', 'fs', 'fs/promises', 'module', 'path', 'url', 'util', 'zlib'])

/** Functions of `process` that reach other processes, load machine code or hand out modules past the loader. */
const REACHING_OUT = ['_debugEnd', '_debugProcess', '_kill', '_linkedBinding', 'abort', 'binding', 'dlopen', 'execve', 'getBuiltinModule', 'kill', 'report']

const NETWORK_GLOBALS = ['EventSource', 'WebSocket', 'fetch']

/**
 * Takes away from this thread what the engine does not need: modules of Node (the network, child processes, `vm`, further threads), `data:` imports and
 * the functions that lead to the same. Hinders whoever already runs JavaScript here; no boundary, for a thread of Node has more doors than a list names.
 */
export function removeBuiltins(): void {
  // The thread's own module is asked for once, by the program that the thread runs.
  const once = new Set(['worker_threads'])
  registerHooks({
    resolve: (specifier, context, next) => {
      const resolved = next(specifier, context)
      const [, name = ''] = /^node:(.*)$/s.exec(resolved.url) ?? []
      if (NEEDED.has(name) || once.delete(name) || resolved.url.startsWith('file:')) return resolved
      throw new Error('this module is not available in the sandbox')
    },
  })
  for (const name of REACHING_OUT) remove(process, name)
  for (const name of NETWORK_GLOBALS) remove(globalThis, name)
}

function remove(owner: object, name: string): void {
  Object.defineProperty(owner, name, { value: undefined, writable: false, configurable: false, enumerable: false })
}
