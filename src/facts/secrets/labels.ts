import { SECRET_FORMATS } from './formats.ts'

/** Kinds that have rules of their own instead of a published format. */
const OTHERS: Readonly<Record<string, string>> = {
  'account-password': 'password that the code gives an account',
  'database-url': 'database URL with its password',
  'gcp-service-account': 'Google service account key',
  'generic-secret': 'secret',
  jwt: 'signed token (JWT)',
  'live-key': 'key for the live mode of a service',
  'npm-token': 'npm token',
  password: 'password',
  'prefilled-password': 'password that a sign-in form is filled in with',
  'sign-in-password': 'password of a person which the code signs in with or sets',
  'shown-password': 'password that a page shows',
  'private-key': 'private key',
  'supabase-service-role-jwt': 'Supabase service role key',
  'try-out-password': 'password that the code gives an account',
  'first-password': 'password with which every account begins',
  'telegram-bot-token': 'Telegram bot token',
  'url-password': 'URL with a password',
}

/** Of several formats of one kind the first is the usual one. */
const LABELS: ReadonlyMap<string, string> = new Map([...[...SECRET_FORMATS].reverse().map((f) => [f.kind, f.label] as const), ...Object.entries(OTHERS)])

/** What a reader knows a kind of secret as, with its article: `a live Stripe secret key`, `an Anthropic API key`. */
export function secretLabel(kind: string): string {
  const label = LABELS.get(kind) ?? kind.replaceAll('-', ' ')
  return `${/^(?:[aeio]|npm|SSH|SMTP)/i.test(label) ? 'an' : 'a'} ${label}`
}
