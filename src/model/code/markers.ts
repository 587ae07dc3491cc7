import type { JavaScriptFacts } from '../../facts/javascript.ts'
import { cleanLine } from '../../lib/clean-text.ts'
import { collectByFile } from '../../lib/collect-by-file.ts'
import { expressions } from '../frameworks/walk.ts'
import type { Marker } from './code.ts'

const MARKER = /^\W*(?:@)?(?:TODO|FIXME|HACK|XXX)\b|\b(?:TODO|FIXME|HACK|XXX)\s*[:(\-!]/
/** What the comment itself must speak of. */
const TOPIC =
  /\b(?:auth\w*|unauth\w*|log(?:ged|s|ging)?[- ]?(?:in|out)\b|log(?:in|out)|sign(?:ed|ing)?[- ]?(?:in|out)|session|permissions?|roles?|admin\w*|access (?:control|check)|restrict\w*|rls|owner(?:ship)?|protect\w*|secur\w*|insecure|payments?|pay(?:ing|wall)?|paid|stripe|checkout|billing|charg(?:e|es|ing)|refunds?|subscri\w+|webhooks?|signatures?|verif(?:y|ies|ied|ication)|rate[- ]?limit\w*|csrf|captcha|passwords?|secrets?|encrypt\w*|sanitiz\w*|credits?|bypass|hardcoded)\b/i
/** What the code beside it must do. */
const CODE =
  /^(?:auth\w*|getUser|getClaims|getServerSession|getSession|currentUser|session|sessions?|user_?role|roles?|is_?admin\w*|is_?authenticated|permissions?|has_?permission|can_?access|sign_?in\w*|sign_?out|sign_?up|log_?in|login|logout|stripe\w*|stripe-buy-button|checkout\w*|payments?|payment\w*|create_?payment\w*|subscriptions?|billing\w*|credits?|webhooks?|constructEvent\w*|verify\w*|require(?:Auth|User|Admin|Role)\w*|protect\w*|password|jwt\w*|bcrypt\w*|refund\w*|invoice\w*|price_?id|service_?role\w*|updateUser|resetPassword\w*)$/i
/** Past every policy: who may do this is decided here or nowhere. */
const SERVICE_ROLE = /service_?role/i
const NEAR = 8

/** Unfinished work next to code that decides about access or money: both the comment and the code must say so. */
export const markersOf = collectByFile((path, js: JavaScriptFacts): { readonly marker?: Marker; readonly count: number } | undefined => {
  const all = js.comments.filter((c) => MARKER.test(c.text))
  if (!all.length) return undefined
  const candidates = all.filter((c) => TOPIC.test(c.text))
  if (!candidates.length) return { count: all.length }
  const names = securityNames(js)
  const near = candidates.flatMap((c) => {
    const beside = names.find((n) => n.line >= c.l - (SERVICE_ROLE.test(n.name) ? NEAR : 2) && n.line <= c.l + NEAR)
    return beside ? [{ line: c.l, text: cleanLine(c.text, 120), beside: beside.name }] : []
  })
  const [first, ...others] = near
  return { count: all.length, ...(first ? { marker: { path, ...first, also: others.map((o) => ({ path, line: o.line })) } } : {}) }
})

function securityNames(js: JavaScriptFacts): { name: string; line: number }[] {
  const found: { name: string; line: number }[] = []
  for (const fn of js.functions) {
    for (const root of expressions(fn)) {
      {
        const e = root
        const name = e.k === 'id' || e.k === 'mem' ? e.name : e.k === 'jsx' && typeof e.tag === 'string' ? e.tag : undefined
        if (name && (CODE.test(name) || SERVICE_ROLE.test(name))) found.push({ name, line: e.l })
      }
    }
    if (fn.name && CODE.test(fn.name)) found.push({ name: fn.name, line: fn.l })
  }
  return found.sort((a, b) => a.line - b.line)
}
