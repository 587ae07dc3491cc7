import { createHash } from 'node:crypto'

/**
 * Lets only known WebAssembly modules be compiled in this thread, for good. The engine's LOAD links any file of its file system that is a side
 * module, and its loader evaluates strings of such a module as JavaScript: compiling comes before, and that is where a foreign module ends.
 * `isKnown` is asked with the SHA-256 digest of the bytes, in hexadecimal.
 */
export function installWasmGate(isKnown: (digest: string) => boolean): void {
  const { Module, compile, instantiate } = WebAssembly
  // What is examined is a copy: the original may lie in memory that somebody else writes to.
  const admitted = (source: unknown): Uint8Array<ArrayBuffer> => {
    const bytes = copyOf(source)
    if (isTrampoline(bytes) || isKnown(createHash('sha256').update(bytes).digest('hex'))) return bytes
    throw new WebAssembly.CompileError('this module is not part of the installed database engine')
  }
  const GatedModule: typeof Module = new Proxy(Module, {
    construct: (target, [source], newTarget) => Reflect.construct(target, [admitted(source)], newTarget === GatedModule ? target : newTarget),
  })
  const gate = {
    Module: GatedModule,
    compile: async (source: unknown) => compile(admitted(source)),
    instantiate: async (source: unknown, imports?: WebAssembly.Imports) =>
      source instanceof Module ? instantiate(source, imports) : instantiate(admitted(source), imports),
    compileStreaming: refuseStream,
    instantiateStreaming: refuseStream,
  }
  Object.defineProperty(Module.prototype, 'constructor', { value: GatedModule, writable: false, configurable: false })
  for (const [name, value] of Object.entries(gate)) Object.defineProperty(WebAssembly, name, { value, writable: false, configurable: false })
  Object.defineProperty(globalThis, 'WebAssembly', { value: Object.freeze(WebAssembly), writable: false, configurable: false })
}

async function refuseStream(): Promise<never> {
  throw new WebAssembly.CompileError('modules are not compiled from streams here')
}

function copyOf(source: unknown): Uint8Array<ArrayBuffer> {
  if (ArrayBuffer.isView(source)) return Uint8Array.from(new Uint8Array(source.buffer, source.byteOffset, source.byteLength))
  if (source instanceof ArrayBuffer || source instanceof SharedArrayBuffer) return Uint8Array.from(new Uint8Array(source))
  throw new TypeError('WebAssembly is compiled from bytes')
}

/** `\0asm`, version 1, and the number of the section of types. */
const WASM_HEADER = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1]
/** Imports the function `e.f` and exports it as `f`: the end of such a module. */
const PASS_ON = [2, 7, 1, 1, 0x65, 1, 0x66, 0, 0, 7, 5, 1, 1, 0x66, 0, 0]
/** One type, of a function. */
const ONE_FUNCTION = [1, 0x60]
/** i32, i64, f32, f64. */
const NUMBERS = new Set([0x7f, 0x7e, 0x7d, 0x7c])
const LONGEST = 200

/**
 * A module that gives a JavaScript function a type and has no code: the engine's loader writes one for each callback. Read from the first byte to the
 * last, so that nothing else passes for one.
 */
export function isTrampoline(bytes: Uint8Array): boolean {
  if (bytes.length > LONGEST) return false
  let at = 0
  const follows = (expected: readonly number[]) => expected.every((byte) => bytes[at++] === byte)
  // LEB128 in one byte or two: the loader always writes two.
  const size = () => {
    const low = bytes[at++] ?? 0
    return low < 0x80 ? low : (low & 0x7f) + 0x80 * (bytes[at++] ?? 0)
  }
  const numbers = () => {
    const end = size() + at
    const holds = bytes.subarray(at, end).every((byte) => NUMBERS.has(byte))
    at = end
    return holds
  }
  if (!follows(WASM_HEADER)) return false
  const end = size() + at
  return follows(ONE_FUNCTION) && numbers() && numbers() && at === end && follows(PASS_ON) && at === bytes.length
}
