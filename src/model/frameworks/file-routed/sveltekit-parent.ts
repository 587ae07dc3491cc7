import type { Expr, Pattern } from '../../../facts/javascript.ts'
import type { Code, Program } from '../program.ts'
import { expressions } from '../walk.ts'

/**
 * Whether a load of SvelteKit may wait for the loads above it: it takes `parent`, or hands its whole event on. Without that they run beside it, and
 * a request for the page's data alone (`__data.json?x-sveltekit-invalidated=01`) leaves them out.
 */
export function mayAwaitParent(program: Program, code: Code): boolean {
  const fn = code.k === 'fn' ? program.fn(code.path, code.fn) : undefined
  const [event] = fn?.params ?? []
  if (!fn) return true
  if (!event) return false
  if (event.k === 'object') return takes(event)
  if (event.k !== 'name') return true
  const { name } = event
  for (const e of expressions(fn)) {
    if (e.k === 'mem' && e.name === 'parent' && is(e.of, name)) return true
    if ((e.k === 'call' || e.k === 'new') && e.args.some((a) => is(a, name) || (a.k === 'obj' && a.props.some((p) => is(p.value, name))))) return true
  }
  // taken apart in the body: `const { parent } = event`
  return fn.body.some((s) => s.k === 'let' && is(s.init, name) && s.to.k === 'object' && takes(s.to))
}

const takes = (p: Pattern & { k: 'object' }): boolean => p.rest !== undefined || p.props.some((x) => x.key === 'parent')
const is = (e: Expr | undefined, name: string): boolean => e?.k === 'id' && e.name === name
