import type { Expr, JavaScriptFacts } from '../../facts/javascript.ts'
import { collectByCodeFile } from '../../facts/questions.ts'
import { type ByFile, unlessEmpty } from '../../lib/memo/collect-by-file.ts'
import { boundNames, childrenOf, exprsOf, statements, stringOf } from '../frameworks/walk.ts'
import type { OwnerMail } from './code.ts'
import { EMAIL_ADDRESS, maskMail } from './constants.ts'

const MAIL_RECIPIENT_FIELD =
  /^(?:to|cc|bcc|reply_?to|recipients?|admin_?e?mails?|owner_?e?mails?|notify|notification_?e?mails?|send_?to|email_?to|to_?e?mail|alert_?e?mails?)$/i
const CONSTANT = /admin|owner|notif|recipient|alert|super|dev(?:eloper)?_?e?mail|report_?to|send_?to|^to$|my_?e?mail/i
/** A name that says for whom such an address stands: whoever runs the application. */
const OPERATOR_MAIL_NAME = /^(?:[a-z]{1,12}_)?(?:admin|owner|notification|alert|report)s?_?(?:e_?mails?|mail_?address|recipients?)$/i

/** Personal mailboxes: as a fixed recipient it is a person's own, whoever commits. */
const PERSONAL_MAILBOX =
  /^(?!(?:test|example|demo|user|you|your|name|john|jane|foo|email|me|someone|customer|client)(?:[._-]?(?:name|mail|email|doe|user|[0-9]{1,6}))?@)[^@]+@(?:gmail|googlemail|hotmail|outlook|live|yahoo|icloud|me|proton|protonmail|gmx|web|libero|tiscali|orange|free|mail|yandex|qq|163|naver)\.[a-z.]{2,6}$/i

/** A mailbox of the application at such a provider: called after it and what it is for, never after a person. */
const OF_THE_APPLICATION = /^[\w.-]{3,40}(?:app|hq|official|oficial|support|suporte|soporte|contact|contato|helpdesk)\d{0,3}@/i

const PERSONAL_PROVIDER =
  /@(?:gmail|googlemail|hotmail|outlook|live|yahoo|icloud|me|proton|protonmail|gmx|web|libero|tiscali|orange|free|mail|yandex|qq|163|naver)\./i

/** The owner's address where the program acts on it: as a recipient or an administrator, not as text on a page. */
export function ownerMails(files: ByFile<JavaScriptFacts>, owners: ReadonlySet<string>): OwnerMail[] {
  return [...mailsByFile(files)].flatMap(([path, mails]) => {
    const places = mails.filter((m) => owners.has(m.mail) || m.personal)
    const [first, ...others] = [...new Map(places.map((p) => [p.line, p])).values()].sort((a, b) => a.line - b.line)
    return first ? [{ path, line: first.line, shown: first.shown, as: first.as, uses: others.map((o) => ({ path, line: o.line })) }] : []
  })
}

/** Whom mail is sent to, besides those who asked for it. */
const ADDRESSEE_FIELD = /^(?:to|cc|bcc|recipients?)$/i
/** A mailbox at a domain of one's own that is called after a person, by what it is not: a place of the house, or an example. */
const ROLE_MAILBOX =
  /^(?:(?:customer|client|user|tech|general)?[._-]?(?:support|help|hello|hi|hey|hola|ola|info|contact\w*|contato|admin\w*|administra\w*|sales|vendas|ventas|orders?|pedidos?|bookings?|reserv\w*|reception|onboarding|welcome|membership|community|partners?|affiliates?|referrals?|returns|shipping|events?|shop|store|team|staff|office|mail|e?mail|billing|accounts?|finance|invoices?|payments?|careers|jobs|hr|press|media|marketing|news\w*|notif\w*|alerts?|no-?reply|do-?not-?reply|postmaster|webmaster|system|service|suporte|soporte|atendimento|help-?desk|it|dev\w*|ops|security|legal|privacy|abuse|feedback|enquir\w*|inquir\w*|inscri\w*|registr\w*|enrol\w*|candidat\w*|bewerb\w*|accueil|bonjour|ciao|hallo|kontakt|secretar\w*|segreteria|prenotazion\w*|commandes?|devis|presse|partenaires?|parceri\w*|redaction|comercial|vendite|ordini|bestell\w*|anfrage\w*|buchhaltung|rechnung\w*|factura\w*|fattur\w*|comptabilite|contabilidad\w*|financ\w*|cobran\w*|verwaltung|empfang|termin\w*|citas|agend\w*|leads?|demo|test\w*|user|you|your|name|someone|recipient|customer|client|professional|patient|owner|example|john|jane|foo)(?:[._-]?(?:doe|team|\d{1,6}))?)@|@(?:[\w-]+\.)*(?:example|test|acme|company|domain|your\w*|my\w*|e?mail|sample|localhost|site|website)\.[a-z.]{2,10}$|@(?:[\w-]+\.)*(?:resend\.dev|mailtrap\.\w+|ethereal\.email|mailinator\.com|simulator\.amazonses\.com)$/i

/** In whose name something is said; a plain `email` may be what a page shows. */
const OF_A_SENDER = /(?:by|sender|from|user|owner|admin|account|host|organi[sz]er)_?e_?mail$/i

/** Addresses where the program acts on them; `personal` for a person's mailbox as a recipient. */
const mailsByFile = collectByCodeFile((_, js: JavaScriptFacts) => {
  const places: { readonly line: number; readonly shown: string; readonly mail: string; readonly as: OwnerMail['as']; readonly personal: boolean }[] = []
  const take = (e: Expr | undefined, as: OwnerMail['as'], recipient: 'none' | 'house' | 'sent' = 'none') => {
    for (const item of literalsOf(e)) {
      const text = stringOf(item)?.trim()
      if (!text || !EMAIL_ADDRESS.test(text)) continue
      const personal =
        (recipient !== 'none' && PERSONAL_MAILBOX.test(text) && !OF_THE_APPLICATION.test(text)) ||
        (recipient === 'sent' && !ROLE_MAILBOX.test(text) && !PERSONAL_PROVIDER.test(text))
      places.push({ line: item.l, shown: maskMail(text), mail: text.toLowerCase(), as, personal })
    }
  }
  const visit = (e: Expr): void => {
    if (e.k === 'obj') {
      const isMail = e.props.some((p) => p.key === 'subject')
      for (const p of e.props) {
        if (!p.key) continue
        if (MAIL_RECIPIENT_FIELD.test(p.key)) take(p.value, named(p.key), isMail && ADDRESSEE_FIELD.test(p.key) ? 'sent' : 'house')
        else if (OF_A_SENDER.test(p.key)) take(p.value, 'actor')
      }
    }
    if (e.k === 'logic' && e.op !== '&&') take(e.b, 'default')
    for (const child of childrenOf(e)) visit(child)
  }
  for (const fn of js.functions) {
    for (const s of statements(fn.body)) {
      const name = s.k === 'let' && s.init ? boundNames(s.to).find((n) => CONSTANT.test(n)) : undefined
      if (s.k === 'let' && name !== undefined) take(s.init, named(name), boundNames(s.to).some((n) => OPERATOR_MAIL_NAME.test(n)) ? 'house' : 'none')
      for (const e of exprsOf(s)) visit(e)
    }
  }
  return unlessEmpty(places)
})

/** What the name says that an address stands for. */
const named = (name: string): OwnerMail['as'] =>
  /admin|owner|super/i.test(name) && !/notif|recipient|alert|send|report/i.test(name) ? 'administrator' : 'recipient'

/** The values that an expression may be, one by one: of a list, of a choice, behind what a request or a variable may give. */
function literalsOf(e: Expr | undefined): readonly Expr[] {
  if (e?.k === 'arr') return e.items.flatMap(literalsOf)
  if (e?.k === 'logic' && e.op !== '&&') return [...literalsOf(e.a), ...literalsOf(e.b)]
  if (e?.k === 'cond') return [...literalsOf(e.then), ...literalsOf(e.else)]
  return e ? [e] : []
}
