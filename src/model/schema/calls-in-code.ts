import type { JavaScriptFacts } from '../../facts/javascript.ts'
import { collectByCodeFile } from '../../facts/questions.ts'
import { type ByFile, unlessEmpty } from '../../lib/memo/collect-by-file.ts'
import type { Place } from '../../lib/place.ts'
import { expressions } from '../frameworks/walk.ts'

/** A function of the database that code calls through the platform's client, by its name alone. */
export interface CallInCode extends Place {
  readonly function: string
}

/** Every `client.rpc('name', …)`, in the order of paths and lines. */
export const callsInCode = (files: ByFile<JavaScriptFacts>): CallInCode[] =>
  [...callsByFile(files)]
    .flatMap(([path, calls]) => calls.map((c) => ({ ...c, path })))
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line))

const callsByFile = collectByCodeFile((_, file: JavaScriptFacts): readonly Omit<CallInCode, 'path'>[] | undefined =>
  unlessEmpty(
    file.functions.flatMap((fn) =>
      expressions(fn).flatMap((e) => {
        if (e.k !== 'call' || e.fn.k !== 'mem' || e.fn.name !== 'rpc') return []
        const [name] = e.args
        return name?.k === 'lit' && typeof name.v === 'string' ? [{ function: name.v, line: e.fn.l ?? e.l }] : []
      }),
    ),
  ),
)
