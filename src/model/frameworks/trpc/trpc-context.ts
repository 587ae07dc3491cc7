import type { Expr } from '../../../facts/javascript.ts'
import type { Code, Program } from '../program.ts'
import { expressions, statements } from '../walk.ts'

/** The function that makes the context of each call, as the library's own documentation and templates call it. */
const MAKES_CONTEXT = /^create(?:Inner)?(?:TRPC)?Context(?:Inner)?$/i
/** Under which a context carries the application's way to its database. */
const DATABASE = /^(?:db|database|prisma|drizzle|orm|knex|kysely|sql|pool)$/i

const known = new WeakMap<Program, ReadonlyMap<string, Code>>()

/** What the context of tRPC carries to reach the database with, by its name there: `return { db, session }`. Who calls is left to what the middleware asks. */
export function databasesInContext(program: Program): ReadonlyMap<string, Code> {
  let found = known.get(program)
  if (!found) {
    found = find(program)
    known.set(program, found)
  }
  return found
}

function find(program: Program): ReadonlyMap<string, Code> {
  const found = new Map<string, Code>()
  for (const path of program.paths) {
    const js = program.js(path)
    if (!js?.imports.some((i) => /trpc/i.test(i.from)) && !/trpc/i.test(path)) continue
    for (const fn of js?.functions ?? []) {
      if (!MAKES_CONTEXT.test(fn.name ?? '')) continue
      const objects: Expr[] = [...expressions(fn), ...statements(fn.body).flatMap((s) => (s.k === 'return' && s.value ? [s.value] : []))]
      for (const object of objects)
        for (const prop of object.k === 'obj' ? object.props : []) {
          if (!prop.key || !DATABASE.test(prop.key) || found.has(prop.key)) continue
          const of = prop.value.k === 'id' ? program.meaning(path, fn.id, prop.value) : undefined
          if (of?.k === 'expr' && of.scope === 0) found.set(prop.key, { k: 'expr', path: of.path, scope: of.scope, expr: of.expr })
        }
    }
  }
  return found
}
