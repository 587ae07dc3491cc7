import type { Expr, FunctionId, FunctionIR, JavaScriptFacts } from '../../../facts/javascript.ts'
import { collectByCodeFile } from '../../../facts/questions.ts'
import type { Code } from '../program.ts'
import { codeOf, type Program } from '../program.ts'
import { expressions, expressionsDeep, propOf, stringOf } from '../walk.ts'

/** The function that Auth.js asks what a session's token says from now on (`callbacks.jwt`). */
export interface TokenCallback {
  readonly path: string
  readonly workspace: string
  readonly code: Code
  /** Where it asks whether the browser wants the session updated, or begins. */
  readonly line: number
}

const AUTH_JS_PACKAGES = ['next-auth', '@auth/core', '@auth/sveltekit', '@auth/express', '@auth/solid-start', '@auth/qwik', '@hono/auth-js']

/** The callbacks that are there, whether or not they look at what the browser sends to have its session updated. */
export function tokenCallbacks(program: Program): readonly TokenCallback[] {
  const found = [...configuredByFile(program.sources)].flatMap(([path, configured]) =>
    AUTH_JS_PACKAGES.some((name) => program.uses(name, path)) ? configured.flatMap(({ scope, expr }) => callbackOf(program, path, scope, expr)) : [],
  )
  return [...new Map(found.map((c) => [`${c.path}:${c.line}`, c])).values()]
}

function callbackOf(program: Program, path: string, scope: FunctionId, expr: Expr): TokenCallback[] {
  const code = codeOf(program.meaning(path, scope, expr))
  const fn = code?.k === 'fn' ? program.fn(code.path, code.fn) : undefined
  return code && fn ? [{ path: code.path, workspace: program.workspace(code.path).dir, code, line: askedAt(fn) ?? fn.l }] : []
}

/** `trigger === 'update'` */
const askedAt = (fn: FunctionIR): number | undefined => expressions(fn).find((e) => e.k === 'bin' && [e.a, e.b].some((x) => stringOf(x) === 'update'))?.l

/** `callbacks: { jwt }`, wherever it is written. */
const configuredByFile = collectByCodeFile((_, js: JavaScriptFacts): readonly { readonly scope: FunctionId; readonly expr: Expr }[] | undefined => {
  const found = [...expressionsDeep(js, 0)].flatMap(({ expr, scope }) => {
    const callback = propOf(propOf(expr, 'callbacks'), 'jwt') ?? (propOf(expr, 'session') && propOf(expr, 'jwt'))
    return callback ? [{ scope, expr: callback }] : []
  })
  return found.length ? found : undefined
})
