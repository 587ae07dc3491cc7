import { bases, type Term, type Ways } from '../expression/predicate.ts'

/** Names of a standing that others would have to give, or to be paid for. */
const ELEVATED_STANDING_VALUE =
  /adm[io]n|amministra|(^|[_-])root|super|staff|moderat|manager|gestor|gerente|owner|propriet|premium|(^|[_-])pro($|[_-])|paid|(^|[_-])vip|enterprise|lifetime|unlimited|(^|[_-])(plus|gold|platinum)/i

/**
 * Whether a function takes for an argument only values that it names itself, none of which gives its user anything: whoever signs up may say
 * whether he comes as a buyer or a seller (`IF p_role NOT IN ('buyer', 'seller') THEN RETURN`).
 */
export function isChoiceOfNames(when: Ways, term: Term): boolean {
  const names = bases(term)
  const [argument] = names
  if (names.length !== 1 || argument?.t !== 'argument' || !when.length) return false
  return when.every((way) =>
    way.some((atom) => {
      if (atom.a !== 'compare' || atom.op !== '=') return false
      const sides = [bases(atom.left), bases(atom.right)] as const
      const value = sides.flat().find((t) => t.t === 'const')
      if (value?.t !== 'const' || typeof value.value !== 'string' || ELEVATED_STANDING_VALUE.test(value.value)) return false
      return sides.some((side) => side.length === 1 && side[0]?.t === 'argument' && side[0].name === argument.name)
    }),
  )
}
