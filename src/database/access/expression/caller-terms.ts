import type { Term } from './predicate.ts'
import { constantValue, type Tree, uncast } from './tree.ts'

/** The id of whoever calls. */
export const CALLER_ID: Term = { t: 'caller', part: 'id' }

/** The path of `#>>` and its like, with points: of `'{a,b}'` and of `array['a', 'b']`. */
export function pathText(node: Tree | undefined): string {
  const value = constantValue(uncast(node))
  if (value !== undefined)
    return String(value)
      .replace(/^\{|\}$/g, '')
      .replaceAll(',', '.')
      .replaceAll('"', '')
  const elements: readonly Tree[] = uncast(node)?.['A_ArrayExpr']?.elements ?? []
  return elements.map((e) => String(constantValue(uncast(e)) ?? '')).join('.')
}

/** A field of a JSON value: claims of the token get their meaning here. */
export function jsonField(term: Term, key: string): Term {
  if (term.t === 'caller') {
    if (term.part !== 'jwt') return { ...term, path: [term.path, key].filter(Boolean).join('.') }
    const [first, ...rest] = key.split('.') as [string, ...string[]]
    const path = rest.join('.')
    if (first === 'sub' || first === 'user_id') return CALLER_ID
    if (first === 'email' || first === 'phone') return { t: 'caller', part: 'email' }
    if (first === 'role') return { t: 'caller', part: 'role' }
    if (first === 'app_metadata') return { t: 'caller', part: 'app', path }
    if (first === 'user_metadata') return { t: 'caller', part: 'user', path }
    return { t: 'caller', part: 'claim', path: key }
  }
  if (term.t === 'column') return { ...term, path: [term.path, key].filter(Boolean).join('.') }
  return term.t === 'expression' || term.t === 'argument' ? { t: 'expression', name: `field ${key}`, of: [term] } : term
}

/** The platform's functions that say who calls. */
export function callerFunction(name: string, args: readonly Tree[]): Term | undefined {
  if (name === 'auth.uid' || name === 'auth.user_id') return CALLER_ID
  if (name === 'auth.role') return { t: 'caller', part: 'role' }
  if (name === 'auth.email') return { t: 'caller', part: 'email' }
  if (name === 'auth.jwt' || name === 'auth.session') return { t: 'caller', part: 'jwt' }
  if (name !== 'current_setting') return undefined
  const setting = String(constantValue(uncast(args[0])) ?? '')
  if (/^request\.jwt\.claims?$/.test(setting)) return { t: 'caller', part: 'jwt' }
  const claim = /^request\.jwt\.claim\.(.+)$/.exec(setting)?.[1]
  if (claim) return jsonField({ t: 'caller', part: 'jwt' }, claim)
  if (setting === 'role') return { t: 'caller', part: 'database-role' }
  // a setting of the application's own: its server sets it for the session, the id of who calls in it as well
  if (/(?:^|[._])(?:current_?)?(?:user|user_?id|uid|sub)$/i.test(setting)) return CALLER_ID
  return setting.startsWith('request.') ? { t: 'caller', part: 'claim', path: setting } : { t: 'caller', part: 'app', path: setting, setting: true }
}
