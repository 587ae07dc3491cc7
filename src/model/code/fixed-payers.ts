import type { Expr, JavaScriptFacts } from '../../facts/javascript.ts'
import { collectByCodeFile } from '../../facts/questions.ts'
import { unlessEmpty } from '../../lib/memo/collect-by-file.ts'
import { calleeText, expressions, stringOf, subExpressions } from '../frameworks/walk.ts'
import type { FixedPayer } from './code.ts'
import { EMAIL_ADDRESS, maskMail } from './constants.ts'

const PAYMENT_CREATION_CALL =
  /(?:checkout|session|payment|preference|charge|transaction|invoice|subscription|order|billing)\w{0,20}\.(?:create|initiali[sz]e|save)$|\.initializeTransaction$/i
const PAYER_EMAIL_FIELD = /^(?:(?:customer|payer|receipt|buyer)_?e_?mail)$/i
const PAYER_FIELD = /^(?:payer|customer|buyer)$/i

/** Addresses of a try-out that every payment is made out to: `payer: { email: 'test@…' }` in what is sent to the processor. */
export const fixedPayers = collectByCodeFile((path, js: JavaScriptFacts) => {
  const found: FixedPayer[] = []
  for (const fn of js.functions) {
    for (const e of expressions(fn)) {
      if (e.k !== 'call' || !PAYMENT_CREATION_CALL.test(calleeText(e.fn))) continue
      for (const arg of e.args) {
        for (const x of subExpressions(arg)) {
          const address = x.k === 'obj' ? addressIn(x) : undefined
          if (address && !found.some((f) => f.line === address.line)) found.push({ path, ...address })
        }
      }
    }
  }
  return unlessEmpty(found)
})

function addressIn({ props }: Extract<Expr, { k: 'obj' }>): { readonly line: number; readonly shown: string } | undefined {
  for (const p of props) {
    const value =
      p.key && PAYER_FIELD.test(p.key) && p.value.k === 'obj'
        ? p.value.props.find((q) => q.key === 'email')?.value
        : p.key && PAYER_EMAIL_FIELD.test(p.key)
          ? p.value
          : undefined
    const text = value && stringOf(value)
    if (value && text && EMAIL_ADDRESS.test(text)) return { line: value.l, shown: maskMail(text) }
  }
  return undefined
}
