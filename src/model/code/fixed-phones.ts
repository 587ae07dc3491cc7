import type { Expr, JavaScriptFacts } from '../../facts/javascript.ts'
import { collectByCodeFile } from '../../facts/questions.ts'
import { type ByFile, unlessEmpty } from '../../lib/memo/collect-by-file.ts'
import { says } from '../../lib/snake-case.ts'
import type { Program } from '../frameworks/program.ts'
import { expressions } from '../frameworks/walk.ts'
import type { ModulesModel } from '../modules/modules.ts'
import type { HardcodedIdentity } from './code.ts'
import { stringConstantsOf } from './constants.ts'

/** A telephone number with its country. */
const PHONE = /^\+?\d{9,15}$/
const PRIVILEGED_PHONE_NAME = /^(?:super_?)?(?:admin|owner|staff|manager|allowed|authori[sz]ed|whitelist(?:ed)?)_(?:phone|mobile|whatsapp)(?:_?number)?s?$/

/** Fixed telephone numbers, called after who may do more, that somebody is compared with: `ADMIN_PHONES.some((p) => …)`. */
export function fixedPhones(program: Program, files: ByFile<JavaScriptFacts>, modules: ModulesModel): HardcodedIdentity[] {
  return [...askedByFile(files)].flatMap(([path, asked]) =>
    asked.flatMap(({ list, line, scope }): HardcodedIdentity[] => {
      const literal = stringConstantsOf(program, path, scope, list).find((c) => PHONE.test(c.value))
      if (!literal) return []
      return [
        {
          subject: `file ${literal.path}`,
          path: literal.path,
          line: literal.line,
          what: 'phone',
          shown: `${literal.value.slice(0, 3)}…`,
          origin: 'unknown',
          grants: true,
          owner: false,
          inBrowser: modules.inBrowser(path, line),
          uses: [{ path, line }],
        },
      ]
    }),
  )
}

const askedByFile = collectByCodeFile((_, js: JavaScriptFacts) => {
  const found: { readonly list: Expr; readonly line: number; readonly scope: number }[] = []
  for (const fn of js.functions)
    for (const e of expressions(fn)) {
      const searched = e.k === 'call' && e.fn.k === 'mem' && /^(?:some|includes|find|has|indexOf)$/.test(e.fn.name) ? [e.fn.of] : []
      const compared = e.k === 'bin' && /^[!=]==?$/.test(e.op) ? [e.a, e.b] : []
      for (const list of [...searched, ...compared])
        if (list.k === 'id' && says(PRIVILEGED_PHONE_NAME, list.name)) found.push({ list, line: e.l, scope: fn.id })
    }
  return unlessEmpty(found)
})
