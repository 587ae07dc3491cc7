import type { SecretFact } from '../../facts/kinds.ts'
import type { Place } from '../../lib/place.ts'
import type { FixedUser } from './fixed-users.ts'

/** Values hardcoded in code and text. */
export interface CodeModel {
  readonly secrets: readonly HardcodedSecret[]
  readonly identities: readonly HardcodedIdentity[]
  readonly clientPasswords: readonly ClientPassword[]
  readonly defaults: readonly DefaultSecret[]
  readonly fixedKeys: readonly FixedKey[]
  readonly switches: readonly Switch[]
  readonly ownerMails: readonly OwnerMail[]
  readonly openDoors: readonly OpenDoor[]
  readonly debugLogs: readonly DebugLog[]
  readonly fixedPayers: readonly FixedPayer[]
  readonly fixedUsers: readonly FixedUser[]
  readonly sqlAccounts: readonly SqlAccount[]
  readonly markers: readonly Marker[]
  /** What was searched, for the evidence. */
  readonly searched: { readonly files: number; readonly markers: number }
}

/** One secret value in one place (its further places in `also`). */
export interface HardcodedSecret extends SecretFact {
  /** What a reader knows its kind as, with its article. */
  readonly label: string
  readonly path: string
  readonly also: readonly Place[]
  /** `file PATH` of the finding of check 5 that reports this value already. */
  readonly reportedAsServiceRole?: string
}

/** A fixed e-mail address or user id that code or SQL compares the caller with. */
export interface HardcodedIdentity {
  readonly subject: string
  readonly path: string
  /** The line of the literal. */
  readonly line: number
  readonly what: 'email' | 'id' | 'phone'
  /** The address with its local part cut down, or the first characters of the id. */
  readonly shown: string
  /** Where the compared value comes from: a verified session, the request or an editable field, or not known. */
  readonly origin: 'verified' | 'claimed' | 'unknown'
  /** Who writes a claimed value: the account's owner into what is kept with it, or whoever opens the page into its storage. */
  readonly writtenIn?: 'metadata' | 'storage'
  /** True when the comparison decides about access (and not, for example, about a log line). */
  readonly grants: boolean
  /** True when it is the address of a commit author or of package.json. */
  readonly owner: boolean
  readonly inBrowser: boolean
  /** Where it is compared; of SQL the other policies and functions with the same literal. */
  readonly uses: readonly (Place & { readonly subject?: string })[]
}

/** A password that the browser compares, or has in its bundle to send it along. */
export interface ClientPassword {
  readonly path: string
  readonly line: number
  readonly how: 'literal' | 'variable' | 'list' | 'sent'
  /** Set for a code that proves an address or a second factor, not the password itself. */
  readonly code?: true
  readonly name: string
  readonly uses: readonly Place[]
  /** Only a build for development compares it. */
  readonly development?: true
}

/** `process.env.SECRET || 'word'`. */
export interface DefaultSecret {
  readonly path: string
  readonly line: number
  readonly name: string
  /** Where else in the file a word stands in for the same variable. */
  readonly also: readonly Place[]
}

/** A literal that signs, encrypts or decides. */
export interface FixedKey extends Place {
  readonly use: 'tokens' | 'sessions' | 'signatures' | 'encryption' | 'password' | 'code'
  /** Where it is used. */
  readonly at: Place
}

/** A switch that turns authentication or payment off. */
export interface Switch {
  readonly path: string
  readonly line: number
  readonly name: string
  readonly how: 'variable' | 'constant' | 'request'
  readonly skips: 'authentication' | 'payment'
  /** It is on wherever the variable is not set to this value. */
  readonly unless?: string
  /** Only a process that runs for development asks for it. */
  readonly development?: true
  /** A hook of the browser reads it from the page's address. */
  readonly onPage?: true
}

/** A way past a sign-in that stands in the code. */
export interface OpenDoor extends Place {
  readonly how: 'any-password' | 'no-password' | 'fixed-code' | 'same-code' | 'mail-part' | 'logged-signature'
  /** The variable that closes the door where it is set. */
  readonly unless?: string
}

/** A library of sessions that logs what it does, in every environment. */
export interface DebugLog extends Place {
  readonly library: 'Auth.js' | 'supabase-js'
}

/** An address that stands in the code and that every payment is made out to. */
export interface FixedPayer extends Place {
  readonly shown: string
}

/** The owner's address as a value of the program. */
export interface OwnerMail {
  readonly path: string
  readonly line: number
  readonly shown: string
  /** What it stands there for: who is written to, who administers, who did something, or what is taken where nothing else is given. */
  readonly as: 'recipient' | 'administrator' | 'actor' | 'default'
  readonly uses: readonly Place[]
}

/** An account or grant with fixed values in SQL that runs in every environment. */
export interface SqlAccount {
  readonly path: string
  readonly line: number
  readonly what: 'password' | 'grant'
  /** The fixed address or id, for telling accounts apart; not shown. */
  readonly who: string
  readonly related: readonly Place[]
}

/** TODO, FIXME and the like beside code that decides about access or money. */
export interface Marker {
  readonly path: string
  readonly line: number
  readonly text: string
  readonly beside: string
  readonly also: readonly Place[]
}
