import type { JavaScriptFacts } from '../../../facts/javascript.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { expressions } from '../../frameworks/walk.ts'

/** The names under which a file imports something that it never reads nor hands on. */
export const unusedImports = rememberFor((js: JavaScriptFacts): readonly string[] => {
  const read = new Set(js.functions.flatMap((fn) => expressions(fn).flatMap((e) => (e.k === 'id' ? [e.name] : []))))
  const imported = js.imports.flatMap((i) => i.bindings.map((b) => b.local))
  return imported.filter((name) => !read.has(name) && !js.exports.some((e) => e.local === name))
})
