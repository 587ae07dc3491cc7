import type { Expr, JavaScriptFacts } from '../../../facts/javascript.ts'
import { collectByCodeFile } from '../../../facts/questions.ts'
import { unlessEmpty } from '../../../lib/memo/collect-by-file.ts'
import { envNameOf } from '../../env/code-reads.ts'
import { expressions, stringOf } from '../../frameworks/walk.ts'
import type { LibraryWebhook, Processor } from '../payments.ts'
import { PROCESSORS } from '../processors/processors.ts'

/** Options through which a library is handed the secret that it verifies events with. */
const SECRET_OPTION = /^(?:(?:stripe|polar|paddle|lemonsqueezy|lemon)_?)?(?:webhook|endpoint|signing)_?(?:signing_?)?secret$/i

type Found = Omit<LibraryWebhook, 'subject' | 'workspace'>

/**
 * Calls that leave the events of a processor to a library: `createDenoHandler({ stripeEndpointSecret })`, `stripe({ stripeWebhookSecret })`,
 * `Webhooks({ webhookSecret })`. The library verifies and handles them; its code is not in the repository.
 */
export const libraryWebhooks = collectByCodeFile((path, js: JavaScriptFacts): readonly Found[] | undefined => {
  const imported = new Map<string, string>()
  for (const i of js.imports) if (!i.typeOnly && !/^(?:[./~#]|@\/|\$lib)/.test(i.from)) for (const b of i.bindings) imported.set(b.local, i.from)
  const found: Found[] = []
  for (const fn of js.functions) {
    for (const e of expressions(fn)) {
      if ((e.k !== 'call' && e.k !== 'new') || e.fn.k !== 'id') continue
      const library = imported.get(e.fn.name)
      const options = e.args[0]
      if (!library || options?.k !== 'obj') continue
      const option = options.props.find((p) => p.key && SECRET_OPTION.test(p.key))
      const processor = option && processorOf(library, String(option.key))
      if (!option || !processor) continue
      const given = fallbackOf(option.value)
      const fallback = given?.value === '' && nameOf(library) === KNOWS_ITS_SECRET ? undefined : given
      found.push({
        path,
        line: e.l,
        processor,
        library: nameOf(library),
        ...(fallback
          ? {
              problem: {
                kind: fallback.value === '' ? ('empty-secret' as const) : ('literal-secret' as const),
                at: { path, line: option.l },
                ...(fallback.variable ? { variable: fallback.variable } : {}),
              },
            }
          : {}),
      })
    }
  }
  return unlessEmpty(found)
})

function processorOf(library: string, option: string): Processor | undefined {
  const names = Object.keys(PROCESSORS) as Processor[]
  return (
    names.find((n) => PROCESSORS[n].packages.test(library)) ??
    names.find((n) => option.toLowerCase().startsWith(n)) ??
    names.find((n) => nameOf(library).toLowerCase().includes(n))
  )
}

/** Asks for the secret of the endpoint that it has registered itself when it is given none, and throws when there is none. */
const KNOWS_ITS_SECRET = 'stripe-replit-sync'

/** `https://esm.sh/stripe-sync@0.1.3/adapters/deno` → `stripe-sync`. */
function nameOf(library: string): string {
  const bare = library.replace(/^(?:npm:|jsr:|https?:\/\/[^/]+\/(?:x\/|v[0-9]+\/)?)/, '')
  const parts = bare.split('/')
  return (bare.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] as string)).replace(/(.)@[\s\S]*/, '$1')
}

function fallbackOf(e: Expr): { readonly variable?: string; readonly value: string } | undefined {
  if (e.k !== 'logic' || e.op === '&&') return undefined
  const value = stringOf(e.b)
  const variable = envNameOf(e.a)
  return value === undefined ? undefined : { ...(variable ? { variable } : {}), value }
}
