import type { Webhook } from '../../model/payments/payments.ts'

/** The date that an endpoint stores, and what it is worth: access ends by it only where the code looks. */
export function storedEnd({ stored }: Webhook): { readonly column: string; readonly words: string } | undefined {
  if (!stored?.end) return undefined
  return {
    column: stored.end,
    words: `Access ends by itself only where the code compares ${stored.table}.${stored.end} (stored at ${stored.at.path}:${stored.at.line}) with the clock.`,
  }
}

/** A missing case of Stripe's events for the row and the library that the endpoint has; undefined when it finds no row by an id of Stripe's. */
export function inOwnWords({ stored }: Webhook, what: 'failed' | 'deleted'): string | undefined {
  if (!stored?.key || (stored.library !== 'prisma' && stored.library !== 'supabase')) return undefined
  const { table, key, end, state, states = [] } = stored
  const byCustomer = /customer/i.test(key)
  const event = what === 'failed' ? 'invoice.payment_failed' : 'customer.subscription.deleted'
  const id = byCustomer ? 'customer' : what === 'failed' ? 'subscription' : 'id'
  const now = stored.library === 'prisma' ? 'new Date()' : 'new Date().toISOString()'
  const word = states.find((s) => (what === 'failed' ? /past_?due|overdue|unpaid|fail/i : /cancel|inactive|expired|ended|^free$/i).test(s))
  const marked = state && `{ ${state}: '${(word ?? (what === 'failed' ? 'past_due' : 'canceled')).replace(/[^\w -]/g, '')}' }`
  const data = what === 'deleted' && end ? `{ ${end}: ${now} }` : marked
  if (what === 'deleted' && !data) return undefined
  // a date that only a paid renewal moves on needs no mark
  const change = what === 'failed' && end ? undefined : data
  const written =
    change &&
    (stored.library === 'prisma'
      ? `await prisma.${table}.updateMany({ where: { ${key}: object.${id} }, data: ${change} })`
      : `await supabase.from('${table}').update(${change}).eq('${key}', object.${id})`)
  const mail = what === 'failed' ? ['await sendPaymentFailedMail(object.customer_email, object.hosted_invoice_url)'] : []
  return [`case '${event}': {`, '  const object = event.data.object', ...[...(written ? [written] : []), ...mail].map((l) => `  ${l}`), '  break', '}'].join(
    '\n',
  )
}
