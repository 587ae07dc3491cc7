import type { Expr, JavaScriptFacts } from '../../facts/javascript.ts'
import { collectByCodeFile } from '../../facts/questions.ts'
import { type ByFile, unlessEmpty } from '../../lib/collect-by-file.ts'
import { boundNames, childrenOf, exprsOf, statements, stringOf } from '../frameworks/walk.ts'
import type { OwnerMail } from './code.ts'
import { MAIL, maskMail } from './constants.ts'

const RECIPIENT =
  /^(?:to|cc|bcc|reply_?to|recipients?|admin_?e?mails?|owner_?e?mails?|notify|notification_?e?mails?|send_?to|email_?to|to_?e?mail|alert_?e?mails?)$/i
const CONSTANT = /admin|owner|notif|recipient|alert|super|dev(?:eloper)?_?e?mail|report_?to|send_?to|^to$|my_?e?mail/i
/** A name that says for whom such an address stands: whoever runs the application. */
const OF_THE_HOUSE = /^(?:[a-z]{1,12}_)?(?:admin|owner|notification|alert|report)s?_?(?:e_?mails?|mail_?address|recipients?)$/i

/** Personal mailboxes: as a fixed recipient it is a person's own, whoever commits. */
const PERSONAL =
  /^(?!(?:test|example|demo|user|you|your|name|john|jane|foo|email|me|someone|customer|client)(?:[._-]?(?:name|mail|email|doe|user|[0-9]{1,6}))?@)[^@]+@(?:gmail|googlemail|hotmail|outlook|live|yahoo|icloud|me|proton|protonmail|gmx|web|libero|tiscali|orange|free|mail|yandex|qq|163|naver)\.[a-z.]{2,6}$/i

/** The owner's address where the program acts on it: as a recipient or an administrator, not as text on a page. */
export function ownerMails(files: ByFile<JavaScriptFacts>, owners: ReadonlySet<string>): OwnerMail[] {
  return [...mailsByFile(files)].flatMap(([path, mails]) => {
    const places = mails.filter((m) => owners.has(m.mail) || m.personal)
    const [first, ...others] = [...new Map(places.map((p) => [p.line, p])).values()].sort((a, b) => a.line - b.line)
    return first ? [{ path, line: first.line, shown: first.shown, uses: others.map((o) => ({ path, line: o.line })) }] : []
  })
}

/** Addresses where the program acts on them; `personal` for a person's mailbox as a recipient. */
const mailsByFile = collectByCodeFile((_, js: JavaScriptFacts) => {
  const places: { readonly line: number; readonly shown: string; readonly mail: string; readonly personal: boolean }[] = []
  const take = (e: Expr | undefined, recipient = false) => {
    if (!e) return
    for (const item of e.k === 'arr' ? e.items : [e]) {
      const text = stringOf(item)?.trim()
      if (text && MAIL.test(text)) places.push({ line: item.l, shown: maskMail(text), mail: text.toLowerCase(), personal: recipient && PERSONAL.test(text) })
    }
  }
  const visit = (e: Expr): void => {
    if (e.k === 'obj') for (const p of e.props) if (p.key && RECIPIENT.test(p.key)) take(p.value, true)
    if (e.k === 'logic' && e.op !== '&&') take(e.b)
    for (const child of childrenOf(e)) visit(child)
  }
  for (const fn of js.functions) {
    for (const s of statements(fn.body)) {
      if (s.k === 'let' && s.init && boundNames(s.to).some((n) => CONSTANT.test(n)))
        take(
          s.init,
          boundNames(s.to).some((n) => OF_THE_HOUSE.test(n)),
        )
      for (const e of exprsOf(s)) visit(e)
    }
  }
  return unlessEmpty(places)
})
