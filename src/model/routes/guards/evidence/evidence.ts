import type { Condition, Trust } from '../../../behaviour/types.ts'
import { holdsOnlyIfSet } from '../environment-condition.ts'
import type { Guard, Proof, Who } from '../guard-model.ts'

const TRUST_RANK: Readonly<Record<Guard['trust'], number>> = { verified: 3, editable: 2, unverified: 1, claimed: 0 }
const WHO_RANK: Readonly<Record<Who, number>> = { admin: 5, signature: 4, secret: 4, user: 3, token: 2, check: 1 }

/** Of several ways in which somebody was established, the one that is believed least. */
export const leastTrusted = <T extends { readonly trust: Trust }>(ways: readonly T[]): T | undefined =>
  ways.reduce<T | undefined>((least, way) => (least && TRUST_RANK[least.trust] <= TRUST_RANK[way.trust] ? least : way), undefined)

/** Whether only who administers the application gets past a guard. */
export const isAdministrators = (guard: Pick<Guard, 'who' | 'trust' | 'opensWithout'> | undefined): boolean =>
  guard?.who === 'admin' && guard.trust === 'verified' && !guard.opensWithout

/** Whether a proof says more than another. */
export function better(a: Proof, b: Proof): boolean {
  if (TRUST_RANK[a.trust] !== TRUST_RANK[b.trust]) return TRUST_RANK[a.trust] > TRUST_RANK[b.trust]
  if (WHO_RANK[a.who] !== WHO_RANK[b.who]) return WHO_RANK[a.who] > WHO_RANK[b.who]
  // of two claims the one that has to say something is the one to be forged
  return a.trust === 'claimed' && a.says !== undefined && b.says === undefined
}

/** Whether a proof says less than another; of an administrator and a service with a key, the person is who the rest of the handler is about. */
function isLess(p: Proof, than: Proof): boolean {
  if (p.trust === than.trust && ((p.who === 'admin' && than.who === 'secret') || (p.who === 'secret' && than.who === 'admin'))) return p.who === 'admin'
  return better(than, p)
}

/** The proof that says most; one that an unset variable opens says less than any that stands firm. */
export function strongest(proofs: readonly (Proof | undefined)[]): Proof | undefined {
  let best: Proof | undefined
  for (const p of proofs) if (p && (!best || (best.opensWithout && !p.opensWithout) || (better(p, best) && !isLooser(p, best)))) best = p
  const roleless = best && rolelessBeside(best, proofs)
  return best && roleless ? { ...best, roleless } : best
}

/** An unset variable opens the one, and the other stands firm and is no mere claim. */
const isLooser = (p: Proof, than: Proof): boolean => p.opensWithout !== undefined && than.opensWithout === undefined && than.trust !== 'claimed'

/** Whoever is signed in is known for certain, and that it is an administrator is only asked while a variable is set. */
function rolelessBeside(best: Proof, proofs: readonly (Proof | undefined)[]): string | undefined {
  if (best.who !== 'user' || best.trust !== 'verified' || best.opensWithout) return undefined
  return proofs.map((p) => (p && asksForAdministrator(p) ? p.opensWithout : p?.roleless)).find((name) => name !== undefined)
}

/** Whether a proof that an unset variable opens is about who administers: a list of who may try the application is not. */
export const asksForAdministrator = ({ who, trust, opensWithout = '' }: Proof): boolean =>
  who === 'admin' && trust === 'verified' && /(?:^|_)(?:(?:SUPER_?)?ADMIN(?:ISTRATOR)?S?|OWNERS?|STAFF|OPERATORS?|MODERATORS?|ROOT)(?:_|$)/i.test(opensWithout)

const ELSE = ' and lets past its other check'

/** What several ways in have in common: nothing when one of them proves nothing. */
export function weakest(proofs: readonly (Proof | undefined)[]): Proof | undefined {
  let worst: Proof | undefined
  let open: Proof | undefined
  for (const p of proofs) {
    if (!p) return undefined
    if (!worst || isLess(p, worst)) worst = p
    if (p.opensWithout) open ??= p
  }
  // another way in asks for no administrator at all
  if (worst?.roleless && proofs.some((p) => p?.who === 'user' && !p.roleless)) {
    const { roleless, ...plain } = worst
    worst = plain
  }
  // what anybody may say of himself lets in everybody, whatever others are asked
  if (worst?.trust === 'claimed') return proofs.some((p) => p?.trust === 'verified') && !worst.how.endsWith(ELSE) ? { ...worst, how: worst.how + ELSE } : worst
  // one way in that stands open when a variable is unset leaves the whole guard open
  return worst && open && !worst.opensWithout
    ? { ...worst, how: open.how, opensWithout: open.opensWithout, ...(open.unlessEmpty ? { unlessEmpty: open.unlessEmpty } : {}) }
    : worst
}

/** A proof that an unset variable would open stands firm where the same tests ask for the variable: `SECRET && token === SECRET`. */
export function closed(proof: Proof | undefined, tests: readonly Pick<Condition, 'test' | 'negated'>[]): Proof | undefined {
  const name = proof?.opensWithout
  if (!proof || !name || !tests.some((c) => holdsOnlyIfSet(c.test, !c.negated, name))) return proof
  const { opensWithout, unlessEmpty, ...firm } = proof
  return firm
}
