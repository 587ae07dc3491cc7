/**
 * Whether anything is done with a loaded row before it is compared with the caller. Loading by any id is no breach as long as each use stands behind the
 * comparison.
 */
import { says } from '../../../lib/snake-case.ts'
import { isCallers, mentions, requestName } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Effect, Step, Value } from '../../../model/behaviour/types.ts'
import { isAdministrators } from '../../../model/routes/guards/evidence/evidence.ts'
import { guardOfStep } from '../../../model/routes/guards/guard.ts'
import { isPartOfTransfer } from '../exceptions/balanced-transfer.ts'
import { takesWhatIsOpen } from '../exceptions/claimable-row.ts'
import { keepsTally } from '../exceptions/counter-update.ts'
import { isToldToHouse } from '../exceptions/operator-notification.ts'
import { usesValue, withoutTests } from '../exposure/row-flow-to-response.ts'
import { weighsWho } from './attribute-based-check.ts'
import type { Ties } from './ownership-binding.ts'
import { missingOrTied, needsRow, openOrTied, passesOwnerless } from './row-comparison.ts'
import { isSame } from './value-equality.ts'

/** Whether what a loaded row is used for stands behind a comparison with the caller; rows that are loaded by it (its parent's) are followed. */
export function unprotectedUse(index: number, behaviour: Behaviour, ties: Ties, depth = 0): 'none' | 'some' | 'ownerless' {
  const ofRow = (x: Value) => (x.v === 'row' && x.step === index) || (x.v === 'error' && x.of === index)
  const ofShown = (x: Value) => ofRow(x) || (x.v === 'row' && isFoundAlike(x.step, index, behaviour))
  const loaded = { ofRow, under: behaviour.steps[index]?.under ?? [] }
  let verdict: 'none' | 'some' | 'ownerless' = 'none'
  for (const [i, s] of behaviour.steps.entries()) {
    const e = s.effect
    if (i <= index || e.kind === 'log' || e.kind === 'throw' || e.kind === 'identify') continue
    if (e.kind === 'respond' && ((e.status ?? 200) >= 400 || e.how === 'redirect')) continue
    const carried = usesValue(e.kind === 'respond' ? withoutTests(e) : e, (x) => x.v === 'row' && x.step === index, ties)
    if (
      !carried &&
      !(
        isWork(e) &&
        !addsOwnMark(e, behaviour) &&
        !(e.kind === 'db' && keepsTally(e, behaviour, ties)) &&
        s.under.some((c) => mentions(c.test, ofRow) && needsRow(c, ofRow))
      )
    )
      continue
    if (isToldToHouse(e)) continue
    // an address of the caller's own row is asked for, and nothing of the other goes there
    if (!carried && e.kind === 'http' && e.args.some((x) => isCallers(x, behaviour)) && !e.args.some((x) => mentions(x, (y) => y.v === 'request'))) continue
    // that it is there lets the caller at rows of the own
    if (!carried && e.kind === 'db' && (e.op === 'update' || e.op === 'delete') && ties.byFilter(e)) continue
    if (ties.byCondition(s, behaviour.steps[index]) || asksAboutCaller(e, behaviour) || (e.kind === 'rpc' && ties.refusesServer(e.function))) continue
    // what an administrator may do with it is no other caller's
    if (isForAdmin(s, behaviour)) continue
    if (s.under.some((c) => missingOrTied(c.test, !c.negated, ties, loaded)) || isPartOfTransfer(s, behaviour)) continue
    const looks = e.kind === 'respond' || (e.kind === 'db' && (e.op === 'select' || e.op === 'insert'))
    if (looks && s.under.some((c) => openOrTied(c.test, !c.negated, ofShown, ties) || (!c.negated && weighsWho(c.test, ofShown, ties)))) continue
    if (e.kind === 'db' && takesWhatIsOpen(s, e, behaviour)) continue
    if (s.under.some((c) => passesOwnerless(c.test, !c.negated, ties))) {
      if (verdict === 'none') verdict = 'ownerless'
      continue
    }
    const further = e.kind === 'db' && e.op === 'select' && depth < 4 ? unprotectedUse(i, behaviour, ties, depth + 1) : 'some'
    if (further === 'some') return 'some'
    if (further === 'ownerless') verdict = 'ownerless'
  }
  return verdict === 'none' && depth === 0 && isShownByPage(index, behaviour, ties) ? 'some' : verdict
}

/** What hangs on an object (`where: { spotId: params.id }`) beside the object itself, which the same value of the request chose. */
function isFoundAlike(one: number, other: number, { steps }: Behaviour): boolean {
  const [a, b] = [steps[one]?.effect, steps[other]?.effect]
  if (a?.kind !== 'db' || b?.kind !== 'db' || a.op !== 'select') return false
  return a.filters.some((f) => f.op === 'eq' && mentions(f.value, (x) => x.v === 'request') && b.filters.some((g) => g.op === 'eq' && isSame(f.value, g.value)))
}

/** What everything is called, looks like and is found by. */
const LABEL_COLUMN = /^(?:(?:\w+_?)?id|slug|name|title|description|image|logo|icon|avatar)(?:_?url)?$/i

/** What a page loads on the server it shows to everybody who gets through it; components below it may refuse for themselves. */
function isShownByPage(index: number, behaviour: Behaviour, ties: Ties): boolean {
  const { through, steps } = behaviour
  const e = steps[index]?.effect
  if (!through || e?.kind !== 'db' || (e.columns?.length && e.columns.every((c) => LABEL_COLUMN.test(c)))) return false
  const loaded = { ofRow: (x: Value) => x.v === 'row' && x.step === index, under: steps[index]?.under ?? [] }
  const chosen = e.filters.map((f) => requestName(f.value)).filter((n) => n !== undefined)
  const asked = steps.some(
    (s) =>
      s.under.some((c) => mentions(c.test, (x) => x.v === 'row') && mentions(c.test, (x) => isCallers(x, behaviour))) ||
      (asksAboutCaller(s.effect, behaviour) && s.effect.kind === 'db' && s.effect.filters.some((f) => chosen.includes(requestName(f.value) ?? ''))),
  )
  return (
    !asked &&
    through.some(
      (s) =>
        !ties.byCondition(s, steps[index]) &&
        !isForAdmin(s, behaviour) &&
        !s.under.some((c) => missingOrTied(c.test, !c.negated, ties, loaded) || passesOwnerless(c.test, !c.negated, ties)),
    )
  )
}

/** Whether only an administrator gets to a step. */
const isForAdmin = (step: Step, behaviour: Behaviour): boolean => isAdministrators(guardOfStep(step, behaviour))

/** Tables in which people keep what they liked, saved, rated or read. */
const MARKS =
  /favou?rite|(^|_)(user_?)?likes?$|bookmark|wish_?list|watch_?list|saved_|_saves?$|reactions?$|(up|down)?votes?$|_views?$|recently|_seen$|_reads?$|_?reviews?$|_?ratings?$/i

/** The caller's own mark on something (a favourite, a like): that it is there has to be asked, and the mark says nothing of whose it is. */
function addsOwnMark(e: Effect, behaviour: Behaviour): boolean {
  if (e.kind !== 'db' || (e.op !== 'insert' && e.op !== 'upsert') || e.payload?.v !== 'object') return false
  // Prisma's upsert says apart what is made and what is changed
  const { create } = e.payload.props
  const row = e.op === 'upsert' && create?.v === 'object' ? create : e.payload
  return says(MARKS, e.table) && Object.values(row.props).some((v) => isCallers(v, behaviour))
}

/** The question itself whether the caller may: a membership looked up by both, a function given both. */
function asksAboutCaller(e: Effect, behaviour: Behaviour): boolean {
  if (e.kind === 'rpc') return mentions(e.args, (x) => isCallers(x, behaviour)) || e.client.rights === 'caller'
  if (e.kind === 'db') return e.op === 'select' && (e.client.rights === 'caller' || e.filters.some((f) => isCallers(f.value, behaviour)))
  return e.kind === 'limit' || e.kind === 'kv' || e.kind === 'hash-compare'
}

/** Whether an effect changes something or reaches somebody; looking does neither. */
const isWork = (e: Effect): boolean => (e.kind === 'db' ? e.op !== 'select' : ['mail', 'sms', 'payment', 'storage', 'rpc', 'http', 'invoke'].includes(e.kind))
