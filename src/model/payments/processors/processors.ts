import type { Processor } from '../payments.ts'

/** What a processor calls its events. `failed`, `deleted` and `updated` are alternatives; the first is the one to recommend. */
export interface ProcessorEvents {
  readonly packages: RegExp
  readonly hosts: RegExp
  /** Any of its event names. */
  readonly names: RegExp
  readonly failed: readonly string[]
  readonly deleted: readonly string[]
  readonly updated: readonly string[]
  /** Which of `updated` come with the last state of a subscription as well. */
  readonly ended?: readonly string[]
  /** Names that only recurring payments have. */
  readonly recurring: RegExp
  readonly header: string
}

export const PROCESSORS: Readonly<Record<Processor, ProcessorEvents>> = {
  stripe: {
    packages:
      /^(npm:|https:\/\/esm\.sh\/|https:\/\/cdn\.skypack\.dev\/|https:\/\/deno\.land\/x\/)?(stripe|@stripe\/[\w-]+|@better-auth\/stripe|use-stripe-subscription)(@[^/?]*)?([/?].*)?$/,
    hosts: /^https:\/\/(api|buy|checkout)\.stripe\.com\//,
    names:
      /^(checkout\.session|customer\.subscription|customer|invoice|payment_intent|payment_method|charge|setup_intent|subscription_schedule|payout|product|price|account|identity|radar|transfer|refund)\.[a-z_.]+$/,
    failed: ['invoice.payment_failed'],
    deleted: ['customer.subscription.deleted'],
    updated: ['customer.subscription.updated'],
    recurring: /^(customer\.subscription\.|invoice\.|subscription_schedule\.)/,
    header: 'stripe-signature',
  },
  paddle: {
    packages: /^(npm:|https:\/\/esm\.sh\/)?@paddle\//,
    hosts: /^https:\/\/((sandbox-)?api|vendors)\.paddle\.com\//,
    names:
      /^((transaction|subscription|customer|adjustment|address|business)\.[a-z_]+|subscription_(created|updated|cancelled|payment_succeeded|payment_failed|payment_refunded)|payment_succeeded)$/,
    failed: ['transaction.payment_failed', 'subscription.past_due', 'subscription_payment_failed'],
    deleted: ['subscription.canceled', 'subscription_cancelled'],
    updated: ['subscription.updated', 'subscription_updated'],
    ended: ['subscription.updated'],
    recurring: /^subscription[._]/,
    header: 'paddle-signature',
  },
  lemonsqueezy: {
    packages: /^(npm:|https:\/\/esm\.sh\/)?@lemonsqueezy\//,
    hosts: /^https:\/\/api\.lemonsqueezy\.com\//,
    names: /^(order_(created|refunded)|subscription_[a-z_]+|license_key_[a-z]+)$/,
    failed: ['subscription_payment_failed'],
    deleted: ['subscription_expired', 'subscription_cancelled'],
    updated: ['subscription_updated'],
    recurring: /^subscription_/,
    header: 'x-signature',
  },
  polar: {
    packages: /^(npm:|https:\/\/esm\.sh\/)?@polar-sh\//,
    hosts: /^https:\/\/(sandbox-)?api\.polar\.sh\//,
    names: /^(checkout|order|subscription|refund|benefit|benefit_grant|product|customer|organization)\.[a-z_]+$/,
    failed: ['subscription.past_due', 'subscription.updated'],
    deleted: ['subscription.revoked', 'subscription.canceled'],
    updated: ['subscription.updated', 'subscription.active'],
    recurring: /^subscription\./,
    header: 'webhook-signature',
  },
}

/** Fields in which processors carry the kind of event. */
export const TYPE_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'event_type',
  'eventType',
  'event',
  'event_name',
  'eventName',
  'meta.event_name',
  'event.type',
  'alert_name',
  'name',
  'notification_type',
])
