import { inEdgeFunctions } from '../../lib/edge-function.ts'

/** Code that verifies an event, by processor, as their documentation describes it; `request` is the handler's. */

const REFUSE = 'return new Response(null, { status: 401 })'

/** Compares the digest of what was signed, keyed with a secret, with the signature that was sent. */
const compare = (algorithm: string, variable: string, signed: string, sent: string, encoding: 'hex' | 'base64' = 'hex', remark = ''): string =>
  `const digest = createHmac('${algorithm}', process.env.${variable}!).update(${signed}).digest()
const signature = Buffer.from(${sent} ?? '', '${encoding}')${remark}
if (signature.length !== digest.length || !timingSafeEqual(signature, digest)) ${REFUSE}`

/** A digest over the bytes of the body. */
const digest = (algorithm: string, header: string, variable: string, encoding?: 'base64', signed = 'body', remark?: string): string =>
  `const body = await request.text() // the bytes that were sent
${compare(algorithm, variable, signed, `request.headers.get('${header}')`, encoding, remark)}`

/** A secret that the processor sends along, as it was entered in its settings. */
const token = (header: string, variable: string): string =>
  `const expected = process.env.${variable} // the one that was entered in the processor's webhook settings
if (!expected || request.headers.get('${header}') !== expected) ${REFUSE}`

const STRIPE = `const body = await request.text()
const signature = request.headers.get('stripe-signature')
const secret = process.env.STRIPE_WEBHOOK_SECRET
if (!secret) return new Response(null, { status: 500 })
if (!signature) return new Response(null, { status: 400 })
let event: Stripe.Event
try {
  event = await stripe.webhooks.constructEventAsync(body, signature, secret)
} catch {
  return new Response(null, { status: 400 })
}`

const MERCADO_PAGO = `const { ts, v1 } = Object.fromEntries((request.headers.get('x-signature') ?? '').split(',').map((part) => part.trim().split('=')))
const id = new URL(request.url).searchParams.get('data.id')?.toLowerCase()
const signed = \`id:\${id};request-id:\${request.headers.get('x-request-id')};ts:\${ts};\`
${compare('sha256', 'MERCADOPAGO_WEBHOOK_SECRET', 'signed', 'v1')}`

const PAYPAL = `const event = await request.json()
const answer = await fetch('https://api-m.paypal.com/v1/notifications/verify-webhook-signature', {
  method: 'POST',
  headers: { authorization: \`Bearer \${accessToken}\`, 'content-type': 'application/json' },
  body: JSON.stringify({
    auth_algo: request.headers.get('paypal-auth-algo'),
    cert_url: request.headers.get('paypal-cert-url'),
    transmission_id: request.headers.get('paypal-transmission-id'),
    transmission_sig: request.headers.get('paypal-transmission-sig'),
    transmission_time: request.headers.get('paypal-transmission-time'),
    webhook_id: process.env.PAYPAL_WEBHOOK_ID,
    webhook_event: event,
  }),
})
if ((await answer.json()).verification_status !== 'SUCCESS') ${REFUSE}`

const MIDTRANS = `const event = await request.json()
const signed = event.order_id + event.status_code + event.gross_amount + process.env.MIDTRANS_SERVER_KEY!
if (createHash('sha512').update(signed).digest('hex') !== event.signature_key) ${REFUSE}`

const VERIFICATION_EXAMPLE: Readonly<Record<string, string>> = {
  stripe: STRIPE,
  paddle: `const event = await paddle.webhooks.unmarshal(await request.text(), process.env.PADDLE_WEBHOOK_SECRET!, request.headers.get('paddle-signature') ?? '')`,
  lemonsqueezy: digest('sha256', 'x-signature', 'LEMONSQUEEZY_WEBHOOK_SECRET'),
  polar: `import { validateEvent } from '@polar-sh/sdk/webhooks'
const event = validateEvent(await request.text(), Object.fromEntries(request.headers), process.env.POLAR_WEBHOOK_SECRET!)`,
  Razorpay: digest('sha256', 'x-razorpay-signature', 'RAZORPAY_WEBHOOK_SECRET'),
  Paystack: digest('sha512', 'x-paystack-signature', 'PAYSTACK_SECRET_KEY'),
  Creem: digest('sha256', 'creem-signature', 'CREEM_WEBHOOK_SECRET'),
  Square: digest('sha256', 'x-square-hmacsha256-signature', 'SQUARE_WEBHOOK_SIGNATURE_KEY', 'base64', 'WEBHOOK_URL + body'),
  'Dodo Payments': `import { Webhook } from 'standardwebhooks'
const event = new Webhook(process.env.DODO_PAYMENTS_WEBHOOK_KEY!).verify(await request.text(), Object.fromEntries(request.headers))`,
  Asaas: token('asaas-access-token', 'ASAAS_WEBHOOK_TOKEN'),
  Xendit: token('x-callback-token', 'XENDIT_WEBHOOK_TOKEN'),
  Flutterwave: token('verif-hash', 'FLUTTERWAVE_SECRET_HASH'),
  RevenueCat: token('authorization', 'REVENUECAT_WEBHOOK_AUTHORIZATION'),
  Mollie: `// Mollie signs nothing: take only the id, and ask what became of the payment
const id = String((await request.formData()).get('id'))
const payment = await mollie.payments.get(id)`,
  'Mercado Pago': MERCADO_PAGO,
  PayPal: PAYPAL,
  Midtrans: MIDTRANS,
}

const BY_HAND = digest('sha256', 'x-webhook-signature', 'WEBHOOK_SECRET', undefined, 'body', " // header and encoding: see the processor's documentation")

/** What verifies an event of a processor in the handler at `path`; edge functions read their settings from Deno. */
export function verificationCode(processor: string, path: string): string {
  return forRuntime(VERIFICATION_EXAMPLE[processor] ?? BY_HAND, path)
}

/** Code with settings as the runtime of the file at `path` reads them. */
export function forRuntime(code: string, path: string): string {
  return inEdgeFunctions(path) ? code.replace(/process\.env\.([A-Z_]{1,60})/g, "Deno.env.get('$1')") : code
}
