import type { Value } from '../../../behaviour/types.ts'

/** The caller whom each part of a PostgREST filter asks for: `` .or(`id.eq.${user.id},user_id.eq.${user.id}`) ``. */
export function callerInEach(value: Value): Extract<Value, { v: 'caller' }> | undefined {
  if (value.v !== 'text') return undefined
  const callers = value.parts.filter((x) => x.v === 'caller')
  const written = value.parts.map((x) => (x.v === 'caller' ? '\0' : x.v === 'const' ? String(x.value) : '')).join('')
  const asked = written.split(',').every((part) => /^[\w.]+\.eq\."?\0"?$/.test(part))
  return asked && callers.length === value.parts.filter((x) => x.v !== 'const').length ? callers[0] : undefined
}
