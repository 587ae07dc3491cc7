import type { Expr, JavaScriptFacts } from '../../facts/javascript.ts'
import { collectByCodeFile } from '../../facts/questions.ts'
import { unlessEmpty } from '../../lib/memo/collect-by-file.ts'
import { calleeText, expressions } from '../frameworks/walk.ts'
import type { DebugLog } from './code.ts'

type Obj = Extract<Expr, { k: 'obj' }>

/** What only the options of Auth.js have beside `providers`. */
const OF_AUTHJS = /^(?:callbacks|session|adapter|pages|secret|jwt|events|cookies|trustHost)$/
const CLIENT_FACTORY_CALL = /(?:^|\.)create(?:Browser|Server|Route\w{0,20}|Pages\w{0,20})?Client$/
const AUTH_LIBRARY = /^(?:next-auth|@auth\/|@supabase\/)/

/** Options that make a library of sessions write them to the log, in every environment. */
export const debugLogs = collectByCodeFile((path, js: JavaScriptFacts) => {
  if (!js.imports.some((i) => AUTH_LIBRARY.test(i.from))) return undefined
  const found: DebugLog[] = []
  const add = (library: DebugLog['library'], line: number | undefined) => {
    if (line !== undefined && !found.some((f) => f.line === line)) found.push({ path, line, library })
  }
  for (const fn of js.functions) {
    for (const e of expressions(fn)) {
      if (e.k === 'obj' && e.props.some((p) => p.key === 'providers') && e.props.some((p) => p.key !== undefined && OF_AUTHJS.test(p.key)))
        add('Auth.js', switchedOn(e))
      else if (e.k === 'call' && CLIENT_FACTORY_CALL.test(calleeText(e.fn))) {
        const options = e.args.find((a): a is Obj => a.k === 'obj')?.props.find((p) => p.key === 'auth')?.value
        if (options?.k === 'obj') add('supabase-js', switchedOn(options))
      }
    }
  }
  return unlessEmpty(found)
})

/** The line of `debug: true`. */
function switchedOn(options: Obj): number | undefined {
  const value = options.props.find((p) => p.key === 'debug')?.value
  return value?.k === 'lit' && value.v === true ? value.l : undefined
}
