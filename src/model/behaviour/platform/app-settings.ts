import { constantString, object, UNKNOWN, type Val } from '../domain/abstract-value.ts'
import type { Interpreter } from '../interpreter.ts'
import { givenValue } from '../modules/module-scope.ts'
import { native } from '../native.ts'

const LOCALS = '\0locals '

/** The application as its handlers see it (`req.app`): what was kept with `app.set` and in `app.locals` when it was put together. */
export function applicationOf(it: Interpreter): Val {
  const locals: Record<string, Val> = {}
  for (const [key, given] of it.program.given) if (key.startsWith(LOCALS)) locals[given.path.slice(LOCALS.length)] = givenValue(it, given, 0)
  const get = native('app.get', (now, args) => {
    const name = args[0] && constantString(args[0])
    const given = name === undefined ? undefined : now.program.given.get(`\0app ${name} 0`)
    return given ? givenValue(now, given, 0) : UNKNOWN
  })
  return object({ get, locals: object(locals) })
}
