import type { JavaScriptFacts } from '../../facts/javascript.ts'
import { collectByCodeFile } from '../../facts/questions.ts'
import { cleanLine } from '../../lib/clean-text.ts'
import { expressions } from '../frameworks/walk.ts'
import type { Marker } from './code.ts'

const TODO_MARKER = /^\W*(?:@)?(?:TODO|FIXME|HACK|XXX)\b|\b(?:TODO|FIXME|HACK|XXX)\s*[:(\-!]/
/** What the comment itself must speak of. */
const TOPIC =
  /\b(?:auth\w*|unauth\w*|log(?:ged|s|ging)?[- ]?(?:in|out)\b|log(?:in|out)|sign(?:ed|ing)?[- ]?(?:in|out)|session|permissions?|roles?|admin\w*|access (?:control|check)|restrict\w*|rls|owner(?:ship)?|protect\w*|secur\w*|insecure|payments?|pay(?:ing|wall)?|paid|stripe|checkout|billing|charg(?:e|es|ing)|refunds?|subscri\w+|webhooks?|signatures?|verif(?:y|ies|ied|ication)|rate[- ]?limit\w*|csrf|captcha|passwords?|secrets?|encrypt\w*|sanitiz\w*|credits?|purchas\w*|bypass|hardcoded|redeem\w*|redemptions?|e-?mails? (?:is |are |was |be )?confirm\w*|confirm\w* (?:the |their |an )?e-?mails?)\b/i
/** The same in other languages that builders' users write in. */
const TOPIC_ELSEWHERE =
  /(?:^|[^\p{L}])(?:autentic\p{L}*|autoriz\p{L}*|authentifi\p{L}*|anmeld\p{L}*|sess[ãa]o|sesi[óo]n|permiss(?:ão|ões|ao|oes)|permisos?|berechtigung\p{L}*|droits d'acc[èe]s|senhas?|contrase[ñn]as?|passw[oö]rt\p{L}*|mots? de passe|seguran[çc]a|seguridad|sicherheit|s[ée]curit[ée]|sicurezza|pagament[oi]s?|pagos?|paiements?|zahlung\p{L}*|bezahl\p{L}*|cobran[çc]as?|cobros?|assinaturas?|suscripci[óo]n\p{L}*|abonnements?|abbonament[oi]|saques?|retiros?|comiss(?:ão|ões|ao|oes)|comisi[óo]n(?:es)?|reembolsos?|remboursements?|rimbors[oi]|r[üu]ckerstattung\p{L}*|estornos?|dados banc[áa]rios|datos bancarios|verificar|valida(?:r|ção|ción) (?:o |a |de )?(?:usu[áa]ri[oa]|token|assinatura|firma|pagamento|pago))(?![\p{L}])/iu
/** And in scripts that put no spaces between words, or whose words have many endings. */
const TOPIC_IN_SCRIPT =
  /支付|付款|退款|扣款|认证|鉴权|权限|登录|登入|密码|验签|签名校验|身份验证|訂閱|订阅|認証|認可|権限|決済|支払|署名検証|パスワード|ログイン|결제|인증|권한|로그인|비밀번호|оплат|платеж|платёж|авториз|аутентиф|парол|права? доступа|подписк|الدفع|المصادقة|الصلاحيات|كلمة المرور|ödeme|yetki|kimlik doğrula|şifre|pembayaran|autentikasi|thanh toán|xác thực|phân quyền/iu
/** Money that is settled with people, disputes included. */
const MONEY_TERM = /\b(?:charge-?backs?|payouts?|withdrawals?|commissions?|bank (?:account|data|details))\b/i
/** What proves who somebody is, and is not looked at yet or not kept. */
const PROOF_TODO_TEXT =
  /(?:^|[^\p{L}])(?:verif(?:y|ying|icar)|check|validat(?:e|ing)|validar|valider|compare|store|persist|invalidate|revoke|v[ée]rifier|stocker|guardar|salvar|pr[üu]fen?) (?:[\p{L}']{1,12} ){0,3}(?<!design )(?:tokens?|jetons?|otp)(?!\p{L})|(?:^|[^\p{L}])tokens? (?:[\p{L}']{1,12} ){0,2}(?:pr[üu]fen|verifizieren|speichern)(?!\p{L})/iu
const TOPICS = [TOPIC, MONEY_TERM, TOPIC_ELSEWHERE, TOPIC_IN_SCRIPT, PROOF_TODO_TEXT]
/** What the code beside it must do. */
const SECURITY_CODE_NAME =
  /^(?:auth\w*|getUser|getClaims|getServerSession|getSession|currentUser|session|sessions?|user_?role|roles?|is_?admin\w*|is_?authenticated|permissions?|has_?permission|can_?access|sign_?in\w*|sign_?out|sign_?up|log_?in|login|logout|stripe[\w-]*|checkout\w*|payments?|payment\w*|create_?payment\w*|subscriptions?|billing\w*|credits?|webhooks?|constructEvent\w*|verify\w*|require(?:Auth|User|Admin|Role)\w*|protect\w*|password|jwt\w*|bcrypt\w*|refund\w*|invoice\w*|price_?id|service_?role\w*|create_?(?:auth_?)?user|updateUser|resetPassword\w*|change_?password|(?:send|request|confirm)_?password_?reset\w*|reset_?token|redeem\w*|redemption\w*)$/i
/** Names of handlers, and names in other languages, say it in one of their parts. */
const CODE_PART =
  /^(?:handle|process|submit|confirm|start|make|execute)_?(?:payment|checkout|subscri|billing|refund|payout|withdraw|purchase|log_?(?:in|out)|sign_?(?:in|up|out)|auth)|pagament|cobranca|assinatura|saque(?![a-z])|comiss(?:ao|oes)|estorno|reembols|autentic|permiss(?:ao|oes)|contrasena|suscripcion|(?<![a-z])pagos?(?![a-z])|zahlung|bezahl|abonnement|abbonament|paiement|^commissions?$|^payouts?$|^withdrawals?$/i
/** Past every policy: who may do this is decided here or nowhere. */
const SERVICE_ROLE = /service_?role/i
/** Handlers and pages whose path says what they decide about. */
const HANDLER_OR_PAGE_FILE = /(?:^|\/)(?:api|functions)\/|(?:^|\/)(?:route|page|layout|\+server|\+page\.server|\+layout\.server)\.[cm]?[jt]sx?$/
const HANDLES = /(?:^|\/)(?:route|\+server|\+page\.server|\+layout\.server)\.[cm]?[jt]s$|(?:^|\/)(?:pages\/api|supabase\/functions|controllers|server\/api)\//
const MONEY_PLACE =
  /(?:^|\/)(?:payments?|billing|checkout|stripe|paddle|paypal|razorpay|paystack|mercado-?pago|subscriptions?|credits?|refunds?|payouts?|purchases?|wallets?|(?:[\w.-]{1,30}-)?webhooks?)\//i
const ADMIN_PLACE = /(?:^|\/)(?:admin|administration|back-?office)\//i
/** In a page of administrators the words roles and sessions are everyday ones: the comment has to speak of who may. */
const PERMISSION =
  /\b(?:auth(?:entic|oriz|z|n|\b)\w*|permissions?|access (?:control|check)|(?:admin|role) (?:check|guard|only)|restrict\w*|protect\w*|secur\w*)\b/i
/** Who may do it is what the comment is about: in a handler that is what the handler leaves open. */
const WHO_MAY =
  /\brestrict(?:s|ed|ing)?\b.{0,60}\b(?:access|owners?|admins?|members?|users?|friends|select\w*|delet\w*|updat\w*|rls)\b|\brls\b|\b(?:only|check|verify|ensure|make sure)\b.{0,40}\b(?:owners?|owns|owned|belongs|admins?|permissions?|authori[sz]\w+)\b|\b(?:authori[sz]ation|permission|ownership|access|owner|admin|role) (?:check|control|guard)/i
/** What is to come with production, in an endpoint that takes money. */
const IN_PRODUCTION = /(?:^|[^\p{L}])(?:in|for|en|em|per la) (?:the )?(?:prod|production|produ[cç][aã]o|producci[oó]n|produktion|produzione)(?!\p{L})/iu
const NEAR = 8
/** A comment behind an option stands below the call that the option is for. */
const BEFORE = 4

/** Unfinished work next to code that decides about access or money: both the comment and the code must say so. */
export const markersOf = collectByCodeFile((path, js: JavaScriptFacts): { readonly marker?: Marker; readonly count: number } | undefined => {
  const all = js.comments.filter((c) => TODO_MARKER.test(c.text))
  if (!all.length) return undefined
  const takesMoney = MONEY_PLACE.test(path) && HANDLES.test(path)
  const candidates = all.filter((c) => TOPICS.some((topic) => topic.test(c.text)) || (takesMoney && IN_PRODUCTION.test(c.text)))
  if (!candidates.length) return { count: all.length }
  const names = securityNames(js)
  const near = candidates.flatMap((c) => {
    const beside =
      names.find((n) => n.line >= c.l - (SERVICE_ROLE.test(n.name) ? NEAR : BEFORE) && n.line <= c.l + NEAR)?.name ??
      (MONEY_PLACE.test(path) || PERMISSION.test(c.text) ? securityPlace(path) : undefined) ??
      (WHO_MAY.test(c.text) && HANDLES.test(path) ? 'the handler' : undefined)
    return beside ? [{ line: c.l, text: cleanLine(c.text, 120), beside }] : []
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
        if (name && (isSecurityName(name) || SERVICE_ROLE.test(name))) found.push({ name, line: e.l })
      }
    }
    if (fn.name && isSecurityName(fn.name)) found.push({ name: fn.name, line: fn.l })
  }
  return found.sort((a, b) => a.line - b.line)
}

const isSecurityName = (name: string): boolean => SECURITY_CODE_NAME.test(name) || CODE_PART.test(name)

/** The folder that says so, of a file that answers requests. */
function securityPlace(path: string): string | undefined {
  return HANDLER_OR_PAGE_FILE.test(path) ? (MONEY_PLACE.exec(path) ?? ADMIN_PLACE.exec(path))?.[0].replace(/^\//, '') : undefined
}
