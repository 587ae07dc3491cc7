import type { Place } from '../../../lib/place.ts'
import type { BehaviourGap, Client } from '../../behaviour/types.ts'
import type { Guard } from '../guards/guard-model.ts'

/** What an operation does, by what it reaches: rows, files, messages, payments, secrets, accounts, commands. */
export type WorkKind =
  | 'sign'
  | 'read'
  | 'insert'
  | 'update'
  | 'delete'
  | 'rpc'
  | 'file-read'
  | 'file-write'
  | 'file-delete'
  | 'bucket'
  | 'mail'
  | 'sms'
  | 'payment'
  | 'payment-read'
  | 'secret'
  | 'paid-api'
  | 'admin'
  | 'command'

/** Something a handler does that should not be done for anybody: an effect, and what stood before it. */
export interface Work {
  readonly kind: WorkKind
  /** For people: "reads public.orders with the service role". */
  readonly what: string
  readonly at: Place
  readonly via: readonly Place[]
  readonly rights?: Client['rights']
  readonly table?: string
  /** True when the rows belong to somebody, or the table is unknown and named like one whose rows do. */
  readonly userData?: boolean
  /** The name of the library call. */
  readonly call?: string
  /** What the caller chooses of it: the recipient, the amount, the owner column, which file is replaced, that something is paid, the password, which table is touched, which function runs. */
  readonly chosen?: 'table' | 'function' | 'recipient' | 'amount' | 'owner' | 'file' | 'paid' | 'password'
  /** Of a change of rows: what it sets that grants rights, or that says something was paid. */
  readonly sets?: readonly string[]
  /** Of these, a role that the request names, or that of an administrator. */
  readonly raises?: true
  /** Of a message: the caller writes its subject or its text. */
  readonly worded?: true
  /** Of what the payment processor keeps: it is about the application itself, not about who pays. */
  readonly ofTheHouse?: true
  /** Of a secret: all of it, not some letters. Of a read: every row of the table. */
  readonly whole?: true
  /** Of a read: rows that the policies of their table keep between few. */
  readonly unveiled?: true
  /** Of a read: other people come along with what was asked for. */
  readonly along?: true
  /** Rows that tell of no person. */
  readonly impersonal?: true
  /** Of a change: all rows in a state that the code names, whoever they belong to. */
  readonly many?: true
  /** A file under a name that the server made up. */
  readonly fresh?: true
  readonly guard?: Guard
  /** For reads: no answer with content is given without a guard. */
  readonly hidden?: true
  /** No guard was seen, but the interpreter lost track before: there may be one. */
  readonly unsure?: BehaviourGap
  /** It is done in middleware, on the way to the handler. */
  readonly inFront?: true
  /** A guard follows only later. */
  readonly guardedLater?: Guard
}
