import { inEdgeFunctions } from '../../lib/edge-function.ts'
import { statements } from '../../model/frameworks/walk.ts'
import type { Route, RoutesModel, Surroundings } from '../../model/routes/routes.ts'
import type { Issue } from '../define-check.ts'

/** The request in code that is written for any handler: `request.headers`, `request.text()`. */
const REQUEST_VARIABLE = /(?<![\w'`-])request(?=\.|\))/g

/** The code of a fix as the handler has to write it: by the name that its request has, in the manner of its framework, with the imports that it needs. */
export function placeFix(issue: Issue, { routes, surroundings }: RoutesModel): Issue {
  const { code } = issue.fix
  if (code === undefined) return issue
  const route = routes.find((r) => r.subject === issue.subject && r.path === issue.at.path)
  return { ...issue, fix: { ...issue.fix, code: withImports(route ? named(code, route, surroundings) : code, issue.at.path, surroundings) } }
}

/** A handler may take the kind of the event out of the body under that name: the id then stands in what it was taken out of. */
function eventIn(code: string, route: Route, around: Surroundings): string {
  if (!/\bevent\.id\b/.test(code)) return code
  const within = around.code(route.path)?.functions.filter((f) => f.id !== 0 && f.l >= route.line && f.l <= (route.endLine ?? route.line)) ?? []
  for (const s of within.flatMap((f) => statements(f.body)))
    if (s.k === 'let' && s.to.k === 'object' && s.to.props.some((p) => p.key === 'event' && p.to.k === 'name' && p.to.name === 'event') && s.init?.k === 'id')
      return code.replaceAll(/\bevent\.id\b/g, `${s.init.name}.id`)
  return code
}

function named(written: string, route: Route, around: Surroundings): string {
  const code = eventIn(written, route, around)
  const [name = 'request', ...others] = around.parameters(route)
  if (others.length) return code
  if (route.framework === 'Express')
    return code
      .replaceAll('await request.text()', `${name}.body // the bytes: app.post(path, express.raw({ type: 'application/json' }), handler)`)
      .replace(/ \/\/ the bytes: (.{1,120}) \/\/ the bytes that were sent/, ' // the bytes: $1')
      .replace(/request\.headers\.get\(('[\w-]{1,60}')\)/g, `${name}.headers[$1]`)
      .replace(/return new Response\(null, \{ status: (\d{3}) \}\)/g, 'return res.sendStatus($1)')
      .replace(REQUEST_VARIABLE, name)
  if (route.framework === 'Hono') return code.replace(REQUEST_VARIABLE, `${/^\w{1,30}$/.test(name) ? name : 'c'}.req.raw`)
  return /^[A-Za-z_$][\w$]{0,40}$/.test(name) && (route.kind === 'edge-function' || route.framework === 'Next.js') ? code.replace(REQUEST_VARIABLE, name) : code
}

/** What the code calls and the file does not have yet. */
function withImports(code: string, path: string, around: Surroundings): string {
  const crypto = ['createHash', 'createHmac', 'timingSafeEqual'].filter((f) => code.includes(`${f}(`) && !around.names(path).has(f))
  const stripe = code.includes('stripe.webhooks') && !around.names(path).has('stripe') && !around.names(path).has('Stripe') && !around.imports('stripe', path)
  const deno = inEdgeFunctions(path)
  return [
    ...(crypto.length ? [`import { ${crypto.join(', ')} } from 'node:crypto'`] : []),
    ...(stripe
      ? [
          `import Stripe from '${deno ? 'npm:' : ''}stripe'`,
          `const stripe = new Stripe(${deno ? "Deno.env.get('STRIPE_SECRET_KEY')" : 'process.env.STRIPE_SECRET_KEY'}!)`,
        ]
      : []),
    code,
  ].join('\n')
}
