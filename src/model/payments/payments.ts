import type { Place } from '../../lib/place.ts'

/** Payment processors, what is sold, webhook endpoints and what they do. */
export interface PaymentsModel {
  readonly processors: readonly { readonly name: Processor; readonly at: Place; readonly because: string }[]
  /** Where a recurring payment is sold or its events are handled; undefined when nothing recurring was found. */
  readonly subscriptions?: Place & { readonly how: string; readonly workspace?: string }
  readonly oneTime?: Place & { readonly how: string }
  readonly webhooks: readonly Webhook[]
  /** Handlers named like a webhook of a processor whose code could not be followed. */
  readonly unread: readonly { readonly subject: string; readonly at: Place; readonly because: string }[]
  /** Libraries that receive the events of a processor in the application's place. */
  readonly libraries?: readonly LibraryWebhook[]
  /** Processors that are recognised, but whose events have no rules here; and the endpoints that are named as their receivers. */
  readonly others: readonly OtherProcessor[]
  readonly otherWebhooks: readonly OtherWebhook[]
  /** Something that is paid again and again may be sold through one of these. */
  readonly othersRecur?: true
  /** Where one of these sells something recurring, and nothing in the repository speaks of its events. */
  readonly soldUnheard?: Place & { readonly how: string; readonly name: string; readonly workspace?: string }
  /** Endpoints that grant something paid on the word of the browser. */
  readonly unpaidGrants: readonly UnpaidGrant[]
  /** Endpoints that give what was paid for each time that they are called with the same payment. */
  readonly redemptions: readonly Redemption[]
  /** What the server writes because the processor says that it was paid. */
  readonly bought: readonly BoughtRow[]
}

export type Processor = 'stripe' | 'paddle' | 'lemonsqueezy' | 'polar'

/** A processor other than the four, by the name that people know. */
export interface OtherProcessor {
  readonly name: string
  readonly at: Place
  readonly because: string
}

/** An endpoint that is named as the receiver of such a processor's events. */
export interface OtherWebhook extends Repeats {
  readonly subject: string
  readonly path: string
  readonly line: number
  readonly workspace?: string
  readonly processor: string
  /** False when some of its code could not be followed. */
  readonly complete: boolean
  /** Every change stands behind a signature or a shared secret. */
  readonly verified: boolean
  /** It goes by what the processor answers about the payment that it is told of. */
  readonly asks?: true
  /** What it does when something recurring is not paid or ends, as far as the names are known. */
  readonly ends?: { readonly failed?: HandledEnd; readonly deleted?: HandledEnd }
  /** It speaks of something that is paid again and again. */
  readonly recurring?: true
  /** Set when it certainly takes the sender's word. */
  readonly problem?: VerificationProblem
}

/** An event on which an endpoint does something, and where. */
export interface HandledEnd {
  readonly event: string
  readonly at: Place
}

/** What a second delivery of an event does, and what becomes of one whose work failed. */
export interface Repeats {
  readonly repeats: readonly RepeatProblem[]
  /** Number of effects that were looked at for repetition. */
  readonly effects: number
  /** Answers 2xx after work failed. */
  readonly acknowledgesFailure: readonly (Place & { readonly because?: string })[]
  /** Where the event is recorded as done before the work, when nothing takes the record back. */
  readonly recordedTooEarly?: Place & { readonly work: string }
  /** Writes whose error nobody looks at: supabase-js does not throw, so a failed one goes unnoticed. */
  readonly unreadErrors: readonly Place[]
  /** A check of the session before the endpoint, which lets no delivery through. */
  readonly turnedAway?: Place
  /** What makes a second delivery harmless, when something does: "insert of the event id into public.webhook_events". */
  readonly guard?: string
}

/** An endpoint that acts on events of a processor; found by what it does. */
export interface Webhook extends Repeats {
  readonly subject: string
  readonly path: string
  readonly line: number
  readonly workspace?: string
  readonly processor: Processor
  /** False when some of its code could not be followed; then absence proves nothing. */
  readonly complete: boolean
  /** Where the kind of event is looked at first. */
  readonly typeAt?: Place
  readonly verifiedAt?: Place
  readonly verification: readonly VerificationProblem[]
  /** The library that verifies its events and keeps a copy of the processor's objects. */
  readonly library?: string
  /** A call that looks like a verification and could not be followed. */
  readonly maybeVerifiedBy?: { readonly name: string; readonly at: Place }
  readonly failed: Handling
  readonly deleted: Handling
  /** Event names that conditions compare with. */
  readonly events: readonly string[]
  /** Where some of its code could not be followed: event names that its file writes and no condition was seen to compare with. */
  readonly unfollowed?: readonly string[]
  readonly stored?: Stored
}

/** The row in which an endpoint keeps what somebody has bought. */
export interface Stored {
  readonly at: Place
  /** The library of the query, by which its fix is written. */
  readonly library: string
  readonly table: string
  /** The column with an id of the processor by which the row is found. */
  readonly key?: string
  /** The column that says until when it was paid: where it is compared with the clock, access ends by itself. */
  readonly end?: string
  /** The column that says whether it is paid still, and the words that the endpoint writes there. */
  readonly state?: string
  readonly states?: readonly string[]
}

/** A library that verifies and handles a processor's events, given the signing secret. */
export interface LibraryWebhook {
  readonly subject: string
  readonly path: string
  readonly line: number
  readonly workspace?: string
  readonly processor: Processor
  /** The package's name. */
  readonly library: string
  readonly problem?: VerificationProblem
}

export interface VerificationProblem {
  readonly kind:
    | 'none'
    | 'skipped-without-secret'
    | 'skipped-without-header'
    | 'skipped-outside-production'
    | 'goes-on-after-failure'
    | 'skipped'
    | 'reserialised'
    | 'plain-hash'
    | 'empty-secret'
    | 'literal-secret'
    | 'synchronous'
    | 'parsed-body'
  readonly at: Place
  /** Of `parsed-body`: who parsed it. */
  readonly because?: string
  /** The first thing that is done on an unverified event. */
  readonly trusted?: Place & { readonly what: string }
  readonly variable?: string
  /** Production does not start without the variable. */
  readonly refusedInProduction?: true
}

/** What happens on a kind of event. */
export interface Handling {
  readonly event: string
  /** `status-unread`: writes a state that nothing reads; `status-only`: another event stores the state. */
  readonly how: 'acts' | 'notifies' | 'resyncs' | 'status-unread' | 'logs-only' | 'status-only' | 'none'
  /** The state that is to be stored is none that the column takes. */
  readonly refused?: RefusedState
  /** `status-only`: nothing reads the state that the other event stores. */
  readonly unread?: true
  readonly at?: Place
  /** Of `status-only`: where the event itself is logged and no more. */
  readonly logged?: Place
}

/** A state that a column does not take, and where its table is made. */
export interface RefusedState {
  readonly table: string
  readonly column: string
  readonly value: string
  readonly taken: readonly string[]
  /** The enum that is the column's type; without one a CHECK lists what it takes. */
  readonly enum?: string
  readonly at: Place
}

export interface RepeatProblem {
  readonly kind: 'counter' | 'insert' | 'mail' | 'call' | 'rpc' | 'look-up-then-act' | 'no-unique-constraint' | 'refused-record' | 'log-row'
  readonly at: Place
  readonly what: string
  readonly severe: boolean
  readonly table?: string
}

/** Rows of a table that a payment makes or changes, and the columns by which they hold. */
export interface BoughtRow {
  /** As the code names it. */
  readonly table: string
  readonly columns: readonly string[]
  /** The payment adds the row; otherwise it changes one that is there. */
  readonly inserted: boolean
  /** The row opens what it names by being there; `columns` say what that is. */
  readonly entitles?: true
  readonly subject: string
  readonly at: Place
}

export interface UnpaidGrant {
  readonly subject: string
  readonly at: Place
  readonly what: string
  /** Where the processor is asked all the same; whatever it answers, the grant follows. */
  readonly asks?: Place
  readonly workspace?: string
}

export interface Redemption {
  readonly subject: string
  /** What it goes by: what the processor answers about a payment, or the signature that the browser brings along. */
  readonly proof: 'answer' | 'signature'
  readonly gives: readonly { readonly what: string; readonly at: Place }[]
  readonly workspace?: string
}
