import type { Expr, FunctionIR } from '../../../facts/javascript.ts'
import type { Scope } from '../domain/abstract-value.ts'
import { object, type Val } from '../domain/abstract-value.ts'
import type { Interpreter } from '../interpreter.ts'
import { callValue, evaluate, settle } from '../operations.ts'

/** Elements of components that run on the server are values; what is written in braces is evaluated for its effects. */
export function jsx(it: Interpreter, e: Extract<Expr, { k: 'jsx' }>, scope: Scope): Val {
  const props: Record<string, Val> = {}
  for (const a of e.attrs) {
    const value = evaluate(it, a.value, scope)
    if (a.key) props[a.key] = value
  }
  // An async component runs on the server, and what it decides (a redirect) holds for what is inside it.
  const component = e.tag && typeof e.tag === 'object' && e.tag.k === 'id' ? evaluate(it, e.tag, scope) : undefined
  const ir = component?.v === 'fn' ? it.program.function(component.path, component.id) : undefined
  if (component?.v === 'fn' && ir && (ir.async || awaitsByUse(ir))) {
    const at = scope.at(e.l)
    settle(it, callValue(it, component, [object({ ...props, children: { v: 'call', name: 'children', args: [] } })], at), at)
  }
  for (const c of e.children) evaluate(it, c, scope)
  // one for each place, so that what a page shows whom stays apart
  return { v: 'call', name: 'jsx', args: [{ v: 'const', value: e.l }] }
}

/** A component that is not async and waits with React's `use(requireUser())`: it runs on the server as well. */
function awaitsByUse(ir: FunctionIR): boolean {
  let known = usePromises.get(ir)
  if (known === undefined) {
    known = /"fn":\{"k":"id",(?:"l":\d+,)?"name":"use"/.test(JSON.stringify(ir.body).slice(0, 40_000))
    usePromises.set(ir, known)
  }
  return known
}

const usePromises = new WeakMap<FunctionIR, boolean>()
