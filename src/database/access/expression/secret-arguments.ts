import { bases, type Term } from './predicate.ts'

/** What only some machine of the operator's knows, as the parameter of a function. */
const SECRET_PARAMETER = /(?:^|[_.])(?:secret|token|(?:api|service|worker|admin|access|shared|auth|bridge)_?key|passphrase|password)$/i
/** Nobody guesses so long a text. */
const LONG = 16

/** Whether something is called a secret: an argument, a setting. */
export const isSecret = (name: string): boolean => SECRET_PARAMETER.test(name)

/** Whether a term is an argument that is called a secret. */
export const isSecretArgument = (term: Term | undefined): boolean => term?.t === 'argument' && isSecret(term.name)

/** Whether a comparison asks an argument for what stands in the function or what the server has set, and nobody guesses. */
export function asksForSecret(left: Term, right: Term): boolean {
  const kept = (t: Term) => (t.t === 'const' && typeof t.value === 'string' && t.value.length >= LONG) || (t.t === 'caller' && t.setting === true)
  return [
    [left, right],
    [right, left],
  ].some(([said, asked]) => {
    const known = bases(asked as Term)
    return bases(said as Term).some(isSecretArgument) && (known.length > 0 ? known.every(kept) : kept(asked as Term))
  })
}
