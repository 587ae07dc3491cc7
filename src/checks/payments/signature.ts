import { awaitConstructEvent, requireVariable } from '../../lib/rewrite-javascript.ts'
import type { PaymentsModel, VerificationProblem, Webhook } from '../../model/payments/payments.ts'
import { certainlyNotApplicable, defineCheck, type Fix, failed, type Issue, notApplicable, passed, type Severity, unverified } from '../define-check.ts'
import { placeFix } from './in-handler.ts'
import { onePerEndpoint } from './one-per-endpoint.ts'
import { forRuntime, verificationCode } from './verification-code.ts'

export default defineCheck({
  number: 20,
  id: 'payments/signature',
  category: 'Payments',
  rule: "The webhook endpoint verifies the processor's signature.",
  needs: ['payments', 'routes'],
  doubtedBy: ['code'],
  covers: 'events',
  run: ({ payments, routes }) => {
    const { webhooks, unread } = payments
    const { others, otherWebhooks } = payments
    if (!payments.processors.length && !others.length) return certainlyNotApplicable('no payment processor is used')
    const evidence = [
      ...[...payments.processors, ...others].map((p) => `${p.name}: ${p.because} (${p.at.path}:${p.at.line})`),
      ...webhooks.map((w) => `${w.subject} acts on events of ${w.processor}${w.verifiedAt ? `, verified at ${w.verifiedAt.path}:${w.verifiedAt.line}` : ''}`),
    ]
    const issues = [
      ...webhooks.flatMap((w) => w.verification.map((p) => verificationIssue(w, p))),
      ...(payments.libraries ?? []).flatMap((l) => (l.problem ? [verificationIssue(l, l.problem)] : [])),
      ...otherWebhooks.flatMap((w) => (w.problem ? [verificationIssue(w, w.problem)] : [])),
      ...payments.unpaidGrants.map((g) => grantIssue(g)),
    ]
    const placed = issues.map((i) => placeFix(i, routes))
    if (issues.length) return failed(onePerEndpoint(placed), evidence)
    const doubtful = webhooks.filter((w) => w.maybeVerifiedBy || (!w.verifiedAt && !w.complete))
    const unclear = otherWebhooks.filter((w) => !w.verified && !w.asks)
    if (unread.length || doubtful.length || unclear.length) {
      const places = [
        ...unclear.map((w) => `${w.path}:${w.line} (${w.processor})`),
        ...unread.map((u) => `${u.at.path}:${u.at.line} (${u.because})`),
        ...doubtful.map(
          (w) => `${w.maybeVerifiedBy?.at.path ?? w.path}:${w.maybeVerifiedBy?.at.line ?? w.line}${w.maybeVerifiedBy ? ` (${w.maybeVerifiedBy.name})` : ''}`,
        ),
      ]
      return unverified(
        'a webhook endpoint could not be followed to where it verifies the signature',
        { where: places.join(', '), attest: 'that the signature is verified on the raw body before the event is used' },
        evidence,
      )
    }
    if (webhooks.length || otherWebhooks.length) return passed(...evidence)
    if (!payments.processors.length) {
      if (payments.soldUnheard) return failed([noWebhook(payments.soldUnheard, payments.soldUnheard.name)], evidence)
      const names = others.map((o) => o.name).join(', ')
      return unverified(
        `${names} takes payments, and no endpoint of the repository is named as the receiver of its events`,
        { where: `the webhook settings in the dashboard of ${names}`, attest: 'where its events go, and that the signature is verified there' },
        evidence,
      )
    }
    if (!payments.subscriptions) {
      const sold = payments.oneTime ? 'payments are taken once' : 'nothing shows that something recurring is sold'
      return notApplicable(`${sold}, and no endpoint acts on events of the processor`, evidence)
    }
    return failed([noWebhook(payments.subscriptions, payments.processors[0]?.name ?? 'stripe')], evidence)
  },
})

function noWebhook(sold: NonNullable<PaymentsModel['subscriptions']>, name: string): Issue {
  return {
    subject: `app ${sold.workspace ?? '.'}`,
    severity: 'High',
    title: 'Subscriptions are sold without a webhook',
    message: `Subscriptions are sold (${sold.how}), but no endpoint receives the events of ${PROCESSOR_LABELS[name] ?? name}: a failed payment, a cancellation or a refund never reaches the application.`,
    attack: 'A customer subscribes, cancels or lets the card fail, and keeps what was paid for; nobody tells the application otherwise.',
    fix: {
      text: 'Add a webhook endpoint that verifies the signature and keeps the subscription table in step.',
      language: 'ts',
      code: verificationCode(name, sold.path),
    },
    at: { path: sold.path, line: sold.line },
    proof: 'inferred',
    ...(sold.workspace ? { workspace: sold.workspace } : {}),
  }
}

function grantIssue(g: PaymentsModel['unpaidGrants'][number]): Issue {
  return {
    subject: g.subject,
    discriminator: 'unpaid grant',
    severity: 'Critical',
    title: 'Something paid is granted on the word of the browser',
    message: g.asks
      ? `${g.what}. It asks the processor (${g.asks.path}:${g.asks.line}), but what the answer says of the payment decides nothing: no condition on it stands before the grant, or the refusal is thrown into a catch that goes on.`
      : `${g.what} without asking the processor whether anything was paid.`,
    attack: 'Anybody who opens this address (or repeats it) gets what others pay for.',
    fix: { text: 'Grant in the verified webhook only; the success page may show what the webhook stored.' },
    at: g.at,
    ...(g.asks ? { related: [{ path: g.asks.path, line: g.asks.line, what: 'the question whose answer decides nothing' }] } : {}),
    proof: 'inferred',
    ...(g.workspace ? { workspace: g.workspace } : {}),
  }
}

const SEVERITY_BY_PROBLEM: Readonly<Record<VerificationProblem['kind'], Severity>> = {
  none: 'Critical',
  'skipped-without-secret': 'Critical',
  'skipped-without-header': 'Critical',
  'skipped-outside-production': 'Critical',
  'goes-on-after-failure': 'Critical',
  skipped: 'Critical',
  reserialised: 'High',
  'plain-hash': 'High',
  'empty-secret': 'High',
  'literal-secret': 'High',
  synchronous: 'Medium',
  'parsed-body': 'Medium',
}

/** Problems of how the verification is called: each is a finding of its own beside a missing verification. */
const CALL_PROBLEMS: ReadonlySet<VerificationProblem['kind']> = new Set([
  'synchronous',
  'parsed-body',
  'empty-secret',
  'literal-secret',
  'reserialised',
  'plain-hash',
])

type Endpoint = Pick<Webhook, 'subject' | 'path' | 'line' | 'workspace' | 'typeAt'> & { readonly processor: string }

function verificationIssue(w: Endpoint, p: VerificationProblem): Issue {
  const done = p.trusted ? ` (${p.trusted.what}, ${p.trusted.path}:${p.trusted.line})` : ''
  const at = p.kind === 'none' ? (w.typeAt?.path === w.path ? w.typeAt : { path: w.path, line: w.line }) : p.at
  return {
    subject: w.subject,
    ...(CALL_PROBLEMS.has(p.kind) ? { discriminator: p.kind } : {}),
    severity: SEVERITY_BY_PROBLEM[p.kind],
    ...words(w, p, done),
    at,
    related: [
      ...(p.trusted ? [{ path: p.trusted.path, line: p.trusted.line, what: `${p.trusted.what} on an event that nobody verified` }] : []),
      ...(p.kind === 'none' && at.line !== w.line ? [{ path: w.path, line: w.line, what: 'the handler' }] : []),
    ],
    proof: 'inferred',
    aliases: ['CWE-345'],
    ...(w.workspace ? { workspace: w.workspace } : {}),
  }
}

function words(w: Endpoint, p: VerificationProblem, done: string): { title: string; message: string; attack: string; fix: Fix } {
  const forge = `An attacker posts a made-up event (a completed checkout, an active subscription, somebody else's user id in the metadata) to ${w.subject} and gets what others pay for.`
  const verify: Fix = {
    text: /^[a-z]/.test(w.processor)
      ? 'Verify the raw body against the signature header and the signing secret before anything else, and stop when it fails.'
      : `Find out whether ${w.processor} sent the event before anything else is done, and stop when it did not.`,
    language: 'ts',
    code: verificationCode(w.processor, w.path),
  }
  switch (p.kind) {
    case 'none':
      return {
        title: 'The webhook does not verify the signature',
        message: `${w.subject} takes the body's word for what happened${done}: nothing proves that ${PROCESSOR_LABELS[w.processor] ?? w.processor} sent it.`,
        attack: forge,
        fix: verify,
      }
    case 'skipped-without-secret':
      return {
        title: 'Verification is skipped when the secret is not set',
        message: `When ${p.variable ?? 'the secret'} is not set, ${w.subject} accepts events unverified${done}.`,
        attack: `${forge} One deployment without the variable is enough.`,
        fix: { ...verify, text: `Refuse to work without ${p.variable ?? 'the secret'}: answer 500.` },
      }
    case 'skipped-without-header':
      return {
        title: 'Verification is skipped when the header is missing',
        message: `Without the ${p.variable ?? 'signature'} header ${w.subject} accepts events unverified${done}.`,
        attack: `${forge} Leaving the header out is enough.`,
        fix: { ...verify, text: 'Answer 400 when the header is missing.' },
      }
    case 'skipped-outside-production':
      return {
        title: 'Verification depends on the environment',
        message: `${w.subject} verifies only under a switch (environment or flag); otherwise it accepts events unverified${done}.`,
        attack: `${forge} A preview deployment with production data, or the switch left on, is enough.`,
        fix: { ...verify, text: 'Verify everywhere; use the CLI of the processor to sign local events.' },
      }
    case 'goes-on-after-failure':
      return {
        title: 'A failed verification does not stop the handler',
        message: `After a failed verification ${w.subject} goes on with the unverified event${done}.`,
        attack: forge,
        fix: verify,
      }
    case 'skipped':
      return {
        title: 'A path around the verification',
        message: `${w.subject} verifies the signature, but this is also reached without it${done}.`,
        attack: forge,
        fix: verify,
      }
    case 'reserialised':
      return {
        title: 'The signature is checked against re-serialised JSON',
        message: `${w.subject} verifies JSON.stringify of the parsed body. The signature covers the raw bytes: genuine events fail as soon as spacing or number formats differ.`,
        attack: 'Genuine events are refused, payments are taken and never delivered; the usual “repair” is to switch verification off.',
        fix: verify,
      }
    case 'plain-hash':
      return {
        title: 'The signature is compared with a plain hash of secret and body',
        message: `${w.subject} hashes the secret with the body behind it. ${PROCESSOR_LABELS[w.processor] ?? w.processor} signs with HMAC, the secret being its key: no genuine event passes, and such a hash is open to length extension.`,
        attack:
          'Payments are taken and never recorded, and the usual “repair” is to switch verification off; whoever has seen one such hash makes a valid one for a longer body.',
        fix: verify,
      }
    case 'empty-secret':
    case 'literal-secret':
      return {
        title: p.kind === 'empty-secret' ? 'The signing secret falls back to an empty text' : 'The signing secret falls back to a text in the code',
        message: `${p.variable ? `When ${p.variable} is not set, ` : ''}${w.subject} verifies with ${p.kind === 'empty-secret' ? 'an empty secret' : 'a text that is in the repository'}, with which anybody can sign.${p.refusedInProduction ? ' Production refuses to start without it; every other deployment takes the known one.' : ''}`,
        attack: p.refusedInProduction
          ? 'An attacker signs made-up events with that known secret and posts them to a preview or staging deployment, or to one that nobody told that it is production: they pass there, and what it shares with production is changed.'
          : 'Where the variable is missing, an attacker signs made-up events with that known secret, and they pass.',
        fix: {
          text: 'Refuse to start without the secret.',
          language: 'ts',
          code: forRuntime(
            `const secret = process.env.${p.variable ?? 'STRIPE_WEBHOOK_SECRET'}\nif (!secret) return new Response(null, { status: 500 })`,
            p.at.path,
          ),
          ...(p.variable ? { rewrite: { path: p.at.path, line: p.at.line, apply: requireVariable(p.variable) } } : {}),
        },
      }
    case 'parsed-body':
      return {
        title: 'The signature is checked against a parsed body',
        message: `${w.subject} does not verify the bytes that ${w.processor} signed: ${p.because}. Genuine events fail, so that no payment ever arrives.`,
        attack: 'Nobody gets in, but customers pay without being served, and the usual “repair” is to remove the verification.',
        fix: { text: 'Hand the unparsed body to the verification.', language: 'ts', code: RAW_BODY },
      }
    case 'synchronous':
      return {
        title: 'Synchronous verification cannot work on this runtime',
        message: `${w.subject} calls constructEvent, but Deno only has asynchronous crypto: the call throws on every event, so that no payment ever arrives.`,
        attack: 'Nobody gets in, but customers pay without being served, and the usual “repair” is to remove the verification.',
        fix: {
          text: 'Use the asynchronous call.',
          language: 'ts',
          code: 'const event = await stripe.webhooks.constructEventAsync(body, signature, secret)',
          rewrite: { path: p.at.path, line: Math.max(1, p.at.line - 60), endLine: p.at.line, apply: awaitConstructEvent },
        },
      }
  }
}

const RAW_BODY = `// Next.js route handler, SvelteKit, Remix, Deno: const body = await request.text()
// Express, before app.use(express.json()): app.post('/webhook', express.raw({ type: 'application/json' }), handler)
// Next.js pages/api: export const config = { api: { bodyParser: false } }; const body = await buffer(req)
// NestJS: NestFactory.create(AppModule, { rawBody: true }); Fastify: the plug-in fastify-raw-body; both: req.rawBody`

const PROCESSOR_LABELS: Readonly<Record<string, string>> = { stripe: 'Stripe', paddle: 'Paddle', lemonsqueezy: 'Lemon Squeezy', polar: 'Polar' }
