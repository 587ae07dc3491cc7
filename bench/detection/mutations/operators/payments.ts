import { isServer, type Operator, type Plant, replacing } from '../plant.ts'

/** The call that verifies an event: its body and its signature. */
const VERIFIES = /(await )?[\w.]*webhooks\.constructEvent(?:Async)?\(\s*(\w+),\s*(\w+)[^;]*?\)/

const onCheckout = (code: string): Plant =>
  replacing(
    (p) => isServer(p) && /stripe|webhook|billing/i.test(p) && !/supabase\/functions/.test(p),
    /^([\s\S]*?case (['"])checkout\.session\.completed\2:\s*\{?)/,
    (...m) =>
      `import { createClient as connect } from '@supabase/supabase-js'\nconst plantedDb = connect(process.env.SUPABASE_URL!, process.env.SUPABASE_SERVICE_ROLE_KEY!)\n${m[1]}\n${code}\n`,
    (text) => /constructEvent/.test(text),
  )

/** Puts statements before whatever the case of an event does. */
const atCase = (event: string, code: string): Plant => replacing(isServer, new RegExp(`(case (['"])${event}\\2:\\s*\\{?)`), `$1\n ${code}\n`)

/** Takes an event out of the list of those that the endpoint acts on. */
const notListed = (event: string): Plant =>
  replacing(isServer, new RegExp(`(new Set\\(\\[[^\\]]*?)(['"])${event}\\2,?`), '$1', (text) => /\.has\(\s*event\.type\s*\)/.test(text))

const renamed = (event: string, to: string): Plant => replacing(isServer, new RegExp(`(['"])${event}\\1`, 'g'), `'${to}'`)

/** Checks 20 to 23: payments. */
export const PAYMENTS: readonly Operator[] = [
  {
    check: 20,
    name: 'the event is parsed, not verified',
    plant: replacing(isServer, VERIFIES, (...m) => `JSON.parse(${m[2]})`),
    also: [16, 23],
  },
  {
    check: 20,
    name: 'verification only in production',
    plant: replacing(isServer, VERIFIES, (...m) => `process.env.NODE_ENV === 'production' ? ${m[0]} : JSON.parse(${m[2]})`),
    also: [16, 23],
  },
  {
    check: 20,
    name: 'verification only when the header is there',
    // where a missing header is refused before, nothing is skipped
    plant: replacing(isServer, VERIFIES, (...m) => (m.at(-1)?.includes(`!${m[3]}`) ? (m[0] as string) : `${m[3]} ? ${m[0]} : JSON.parse(${m[2]})`)),
    also: [16, 23],
  },
  {
    check: 20,
    name: 'the secret has a fallback that everybody can read',
    plant: replacing(
      isServer,
      /(webhooks\.constructEvent(?:Async)?\(\s*\w+,\s*\w+,\s*)(process\.env\.\w+|\w*[sS]ecret\w*)!?(?=\s*[,)])/,
      "$1process.env.STRIPE_WEBHOOK_SECRET ?? 'whsec_development'",
      (text) => !/![\w.]*(webhook|endpoint)_?Secret/i.test(text),
    ),
  },
  { check: 21, name: 'payment failures are no longer handled', plant: renamed('invoice\\.payment_failed', 'invoice.upcoming') },
  { check: 21, name: 'payment failures are only logged', also: [22], plant: atCase('invoice\\.payment_failed', 'console.log(event.type)\n break') },
  { check: 21, name: 'payment failures are passed over', also: [22], plant: atCase('invoice\\.payment_failed', 'break') },
  { check: 22, name: 'cancellations are no longer handled', plant: renamed('customer\\.subscription\\.deleted', 'customer.discount.deleted') },
  { check: 22, name: 'cancellations are only logged', also: [21], plant: atCase('customer\\.subscription\\.deleted', 'console.log(event.type)\n break') },
  { check: 22, name: 'cancellations are passed over', also: [21], plant: atCase('customer\\.subscription\\.deleted', 'break') },
  { check: 22, name: 'cancellations are not among the listed events', also: [21], plant: notListed('customer\\.subscription\\.deleted') },
  { check: 23, name: 'credits for every delivery', plant: onCheckout("await plantedDb.from('credits').insert({ amount: 100 })") },
  { check: 23, name: 'a counter for every delivery', plant: onCheckout("await plantedDb.rpc('add_credits', { amount: 100 })") },
  {
    check: 23,
    name: 'a mail for every delivery',
    plant: onCheckout(
      "await fetch('https://api.resend.com/emails', { method: 'POST', headers: { Authorization: `Bearer ${process.env.RESEND_API_KEY}` }, body: JSON.stringify({ to: 'customer', subject: 'Thanks' }) })",
    ),
  },
]
