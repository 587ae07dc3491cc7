const leb = (n: number): number[] => (n < 0x80 ? [n] : [(n & 0x7f) | 0x80, ...leb(n >>> 7)])
const text = (s: string): number[] => {
  const bytes = [...Buffer.from(s)]
  return [...leb(bytes.length), ...bytes]
}
const section = (id: number, body: readonly number[]): number[] => [id, ...leb(body.length), ...body]

/** A WebAssembly side module whose `__em_js__` export the engine's loader evaluates as JavaScript. */
export function hostileModule(js: string): Uint8Array {
  const string = [...Buffer.from(`(void)<::>{}; ${js}`), 0]
  const memory = [...leb(string.length), 0, 0, 0]
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(0, [...text('dylink.0'), 1, ...leb(memory.length), ...memory]),
    ...section(2, [2, ...text('env'), ...text('memory'), 2, 0, 1, ...text('env'), ...text('__memory_base'), 3, 0x7f, 0]),
    ...section(6, [1, 0x7f, 0, 0x41, 0, 0x0b]),
    ...section(7, [1, ...text('__em_js__go'), 3, 1]),
    ...section(11, [1, 0, 0x23, 0, 0x0b, ...leb(string.length), ...string]),
  ])
}
