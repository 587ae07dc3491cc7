import type { FactsIndex } from '../../facts/facts.ts'
import type { JavaScriptFacts } from '../../facts/javascript.ts'

/** A bucket that code names. */
export interface BucketInCode {
  readonly name: string
  readonly path: string
  readonly line: number
  /** Set when the code creates it: its public flag. */
  readonly public?: boolean
  readonly uploads?: boolean
}

type Json = { readonly [key: string]: unknown }

/** `storage.from('x')` and `createBucket('x', { public })`: each bucket once, with its first place. */
export function bucketsInCode(facts: FactsIndex, isSource: (path: string) => boolean): BucketInCode[] {
  const found = new Map<string, BucketInCode>()
  for (const [path, file] of facts.of('javascript')) {
    if (!isSource(path)) continue
    for (const bucket of ofFile(file)) {
      const before = found.get(bucket.name)
      found.set(
        bucket.name,
        before
          ? { ...before, ...(bucket.uploads ? { uploads: true } : {}), ...(bucket.public !== undefined ? { public: bucket.public } : {}) }
          : { ...bucket, path },
      )
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

function ofFile(file: JavaScriptFacts): Omit<BucketInCode, 'path'>[] {
  const constants = new Map<string, string>()
  const found: Omit<BucketInCode, 'path'>[] = []
  const calls: Json[] = []
  const uploads = new Set<unknown>()
  const stack: unknown[] = [file.functions, file.exports]
  while (stack.length) {
    const node = stack.pop()
    if (!node || typeof node !== 'object') continue
    if (Array.isArray(node)) {
      for (const item of node) stack.push(item)
      continue
    }
    const n = node as Json
    if (n['k'] === 'let' && n['how'] === 'const') {
      const [to, init] = [n['to'] as Json, n['init'] as Json | undefined]
      if (to?.['k'] === 'name' && init?.['k'] === 'lit' && typeof init['v'] === 'string') constants.set(String(to['name']), init['v'])
    }
    if (n['k'] === 'call') {
      calls.push(n)
      const fn = n['fn'] as Json
      if (fn?.['k'] === 'mem' && /^(upload|uploadToSignedUrl|createSignedUploadUrl|update)$/.test(String(fn['name']))) uploads.add(fn['of'])
    }
    for (const value of Object.values(n)) if (value && typeof value === 'object') stack.push(value)
  }
  for (const call of calls) {
    const fn = call['fn'] as Json
    if (fn?.['k'] !== 'mem') continue
    const args = (call['args'] ?? []) as readonly Json[]
    const first = args[0]
    const name =
      first?.['k'] === 'lit' && typeof first['v'] === 'string' ? first['v'] : first?.['k'] === 'id' ? constants.get(String(first['name'])) : undefined
    if (!name) continue
    const of = fn['of'] as Json
    if (fn['name'] === 'from' && of?.['k'] === 'mem' && of['name'] === 'storage')
      found.push({ name, line: Number(call['l']), ...(uploads.has(call) ? { uploads: true } : {}) })
    if (fn['name'] === 'createBucket') {
      const options = args[1]?.['k'] === 'obj' ? (args[1]['props'] as readonly Json[]) : []
      const flag = options.find((p) => p['key'] === 'public')?.['value'] as Json | undefined
      found.push({ name, line: Number(call['l']), public: flag?.['v'] === true })
    }
  }
  return found.sort((a, b) => a.line - b.line)
}
