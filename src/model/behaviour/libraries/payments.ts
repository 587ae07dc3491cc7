import { UNKNOWN, type Val } from '../domain/abstract-value.ts'
import type { Library, LibraryCall } from './library.ts'

/** A verified event: verification throws when the signature does not hold. */
function verified(c: LibraryCall, library: string, processor: string, payload: Val | undefined, secret: Val | undefined, sync: boolean): Val {
  c.it.emit({ kind: 'verify-signature', library, payload: payload ?? UNKNOWN, secret: secret ?? UNKNOWN, sync }, c.at)
  const event: Val = { v: 'event', processor, verified: true }
  c.it.require(event, c.at)
  return event
}

/** Stripe: `webhooks.constructEvent` verifies, everything else calls the API. */
const stripe: Library = {
  // `#stripe/server` of Nuxt's module gives the client
  packages: ['stripe', 'stripe/', '#stripe/server'],
  call(c) {
    if (c.name === 'useServerStripe') return { v: 'lib', pkg: 'stripe', name: '*' }
    const name = c.name.replace(/^Stripe\./, '')
    if (/webhooks\.constructEvent(?:Async)?$/.test(name)) return verified(c, 'stripe', 'stripe', c.args[0], c.args[2], !name.endsWith('Async'))
    if (
      name === '' ||
      name === 'Stripe' ||
      name === 'createFetchHttpClient' ||
      /createSubtleCryptoProvider$/.test(name) ||
      name === 'createSubtleCryptoProvider'
    )
      return undefined
    if (/^webhooks\.(?:generateTestHeaderString|signature)/.test(name)) return UNKNOWN
    return paid(c, `stripe.${name}`)
  },
}

function paid(c: LibraryCall, name: string): Val | undefined {
  if (
    !/\.(?:create|retrieve|update|cancel|list|del|capture|confirm|refund|search|pay|finalizeInvoice|voidInvoice|createPreview|retrieveUpcoming|expire|attach|detach|checkout|get|resume|pause|charge|preview|order|[a-z]+Session|createLoginLink|fetch)\b|(?:^|\.)[Tt]ransactions?\.(?:verify|status)$|getInvoiceById$|^(?:createCheckout|cancelSubscription|getSubscription|listSubscriptions|updateSubscription|getCustomer|createCustomer)/.test(
      name,
    )
  )
    return undefined
  const step = c.it.emit({ kind: 'payment', name, args: c.args }, c.at)
  return { v: 'result', step }
}

/** Mirrors of Stripe's data: `sync.processWebhook(body, signature)` verifies, throws when the signature does not hold, and stores the object of the event in a schema of its own. */
const stripeSync: Library = {
  packages: ['stripe-replit-sync', '@supabase/stripe-sync-engine', 'stripe-experiment-sync', 'stripe-sync'],
  call(c) {
    if (!/(?:^|\.)processWebhook$/.test(c.name)) return undefined
    const options = c.links.find((l) => l.name === 'new')?.args?.[0]
    // without a secret of its own this one takes that of the endpoint which it has registered itself, or throws
    const asks = c.root.v === 'lib' && c.root.pkg === 'stripe-replit-sync'
    const secret = !asks && options?.v === 'object' ? options.props.stripeWebhookSecret : undefined
    return verified(c, 'stripe-sync', 'stripe', c.args[0], secret, false)
  },
}

/** Paddle: `paddle.webhooks.unmarshal(body, secret, signature)`. */
const paddle: Library = {
  packages: ['@paddle/paddle-node-sdk', '@paddle/paddle-js'],
  call(c) {
    const name = c.name.replace(/^Paddle\./, '')
    if (/webhooks\.(?:unmarshal|isSignatureValid)$/.test(name)) return verified(c, 'paddle', 'paddle', c.args[0], c.args[1], false)
    return name.includes('.') ? paid(c, `paddle.${name}`) : undefined
  },
}

/** Polar and Lemon Squeezy. */
const others: Library = {
  packages: [
    '@polar-sh/sdk',
    '@polar-sh/sdk/',
    '@polar-sh/nextjs',
    '@polar-sh/sdk/webhooks',
    '@lemonsqueezy/lemonsqueezy.js',
    'standardwebhooks',
    'svix',
    'svix/',
    '@workos-inc/node',
    '@octokit/webhooks',
    'razorpay',
    'razorpay/',
    '@creem/',
    'dodopayments',
    'mercadopago',
    'mercadopago/',
    '@mollie/api-client',
    'midtrans-client',
    'xendit-node',
    'flutterwave-node-v3',
    'paystack',
    'paystack-sdk',
  ],
  call(c) {
    const root = c.root.v === 'lib' ? c.root.pkg : ''
    const processor = root.startsWith('@polar')
      ? 'polar'
      : root.startsWith('@lemon')
        ? 'lemonsqueezy'
        : root.startsWith('svix')
          ? 'svix'
          : root === 'standardwebhooks'
            ? 'standardwebhooks'
            : root
    if (root === '@workos-inc/node') {
      // `constructEvent({ payload, sigHeader, secret })`; the rest of it is no payment
      const given = c.args[0]?.v === 'object' ? c.args[0].props : {}
      return /(?:^|\.)webhooks\.(?:constructEvent|verifyHeader)$/.test(c.name) ? verified(c, 'workos', 'workos', given.payload, given.secret, false) : undefined
    }
    if (/^(?:validateEvent)$/.test(c.name)) return verified(c, processor, processor, c.args[0], c.args[2], true)
    if (/Webhook\.verify$|^verify$|validateWebhookSignature$|(?:^|\.)verifyAndReceive$/.test(c.name)) {
      const made = c.links.find((l) => l.name === 'new')?.args?.[0]
      return verified(c, processor, processor, c.args[0], made ?? c.args[2], true)
    }
    if (c.name === 'Webhook' || c.name === 'Polar' || c.name === 'lemonSqueezySetup') return undefined
    return paid(c, c.name.includes('.') ? `${processor}.${c.name}` : c.name)
  },
}

/** What Lovable's services send: `verifyWebhookRequest({ req, secret, parser })` reads the request itself and throws when the signature does not hold. */
const lovableWebhooks: Library = {
  packages: ['@lovable.dev/webhooks-js'],
  call(c) {
    if (c.name !== 'verifyWebhookRequest') return undefined
    const given = c.args[0]?.v === 'object' ? c.args[0].props : {}
    return verified(c, 'lovable', 'lovable', given.req, given.secret, false)
  },
}

export const PAYMENT_LIBRARIES: readonly Library[] = [stripe, stripeSync, paddle, others, lovableWebhooks]
