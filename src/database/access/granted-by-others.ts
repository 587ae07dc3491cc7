import type { Catalog, Table } from '../database.ts'
import type { Way } from './expression/judge.ts'
import { isThroughOwnProfile } from './own-profile.ts'
import type { Reading } from './policies.ts'
import { allowedValues } from './seed-values.ts'

const STATE = /^((approval|verification|review|request|claim|withdrawal|payout|kyc)_?)?(status|state)$/i
const WAITS =
  /^'(pending(_(?!payment)\w{1,20})?|submitted|requested|in_review|under_review|awaiting_(review|approval|verification)|unverified|waiting|pendiente|pendente)'/i
const GRANTED = /^(approved|granted|verified|authori[sz]ed|paid|aprobad[oa]|aprovad[oa]|approvat[oa]|pagad[oa]|pag[oa]|verificad[oa])$/i
/** Columns that somebody fills in who looked at the row. */
const LOOKED_AT =
  /^(reviewed|approved|verified|processed|decided|granted|authori[sz]ed)_(by|at|on)(_id)?$|^(reviewer|approver|admin|rejection)_?(id|notes?|comments?|reason|feedback)$/i

/** What is asked for in such rows: money that is paid out, a standing, a day off. */
const ASKED_FOR =
  /withdraw|payout|refund|reimburse|(^|_)claims?$|winner|winning|(^|_)prizes?$|verif|(^|_)kyc(_|$)|saques?($|_)|retiros?($|_)|reembols|(access|role|upgrade|admin|moderator|staff|host|seller|vendor|partner|creator|affiliate|membership|leave|time_?off|vacation|absence|loan|credit|advance|overtime)_?(requests?|applications?)$/i
/** Of two people whom a row names, the one who asked for something. */
const ASKING =
  /^(user|profile|account|requester|requestor|applicant|author|creator|member|employee|student|driver|customer|client|claimant|winner|usuario|utente)(_(user|profile))?_?(id|uid)$|^(created|requested|submitted|claimed)_by(_id)?$/i

const asks = (way: Way, table: Table, catalog: Catalog): boolean => {
  const people = table.userData?.ownerColumns ?? []
  if (way.needsRole) return false
  // an affiliate's own row names the user, and the request names the affiliate
  if (way.outcome === 'via') return isThroughOwnProfile(table, way, catalog)
  return way.outcome === 'owner' && way.ownerColumns.some((c) => people.length === 1 || ASKING.test(c))
}

/**
 * The state of a row in which a user asks for something that others grant: it waits at first, staff changes such rows by a role or leaves its
 * name in them, and a way in is the asking user's own.
 */
export function requestedStates(table: Table, ways: readonly Way[], readings: readonly Reading[], catalog: Catalog): readonly string[] {
  if (!ASKED_FOR.test(table.name) || !ways.some((w) => asks(w, table, catalog))) return []
  const signed = table.columns.some((c) => LOOKED_AT.test(c.name))
  const changing = readings.filter((r) => r.command === 'update').flatMap((r) => r.ways)
  const byStaff = changing.some((w) => w.outcome === 'role')
  return table.columns
    .filter((c) => !c.generated && STATE.test(c.name) && WAITS.test(c.default ?? ''))
    .map((c) => c.name)
    .filter((c) => {
      const granted = allowedValues(table, c, catalog).some((v) => GRANTED.test(v))
      if (byStaff) return signed || granted
      // where no browser changes such rows at all, the server does
      return signed && (granted || !changing.length)
    })
}

const AGREED = /(^|_)(amount|total|price|cost|fee|budget|payout|monto|importe|preco|precio)(_|$)/i
const UNPAID =
  /^'(pending_payment|payment_pending|awaiting_payment|waiting_(for_)?payment|aguardando_pagamento|pendiente_(de_)?pago|in_attesa_(di_)?pagamento)'/i
const DEAL_STATE = /^((order|booking|payment|deal|escrow|collaboration|project|contract)_?)?(status|state)$/i
/** What somebody writes to those who owe him. */
const ISSUED = /invoice|factur|fatur|fattur|(^|_)(bills?|fees?|dues)$/i

/** The state of a deal that waits for a payment at first: who is a party of it does not say that the money has arrived. */
export function awaitedPayments(table: Table, ways: readonly Way[]): readonly string[] {
  if (ISSUED.test(table.name) || !ways.some((w) => w.outcome === 'owner' && !w.needsRole)) return []
  if (!table.columns.some((c) => AGREED.test(c.name) && /^(numeric|integer|bigint|real|double|money)/.test(c.type))) return []
  return table.columns.filter((c) => !c.generated && DEAL_STATE.test(c.name) && UNPAID.test(c.default ?? '')).map((c) => c.name)
}
