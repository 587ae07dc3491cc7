import type { Guard, Route } from '../../../model/routes/routes.ts'
import { type Known, registration } from './fix-context.ts'
import type { SessionCode } from './no-session-yet.ts'
import { noSessions, withFirstSignIn } from './no-session-yet.ts'
import { clientLines } from './token-client.ts'

/** Express, Fastify and Hono ask in front of the handler. */
export function inMiddleware(route: Route, { around, all }: Known, guard: Guard | undefined, supabase: boolean): SessionCode {
  const how = guard?.how ?? ''
  const names = around.names(route.path)
  if (route.framework === 'Express') {
    if (/passport|req\.isAuthenticated/i.test(how))
      return {
        code: registration(route, '(req, res, next) => (req.isAuthenticated() ? next() : res.status(401).end())', around),
        caller: 'req.user.id',
        role: 'req.user.role',
      }
    if (/req\.session/.test(how)) return { code: registration(route, `(req, res, next) => (${how} ? next() : res.status(401).end())`, around) }
    if (/JSON Web Token/.test(how))
      return {
        code: [
          ...(names.has('jwt') ? [] : ["import jwt from 'jsonwebtoken'", '']),
          'function requireUser(req, res, next) {',
          '  try {',
          `    req.user = jwt.verify(req.get('authorization')?.replace(/^Bearer /, '') ?? '', process.env.${around.variables(/^JWT_SECRET|^(?:ACCESS_)?TOKEN_SECRET|^SECRET_KEY$/)[0] ?? 'JWT_SECRET'})`,
          '  } catch {',
          '    return res.status(401).end()',
          '  }',
          '  next()',
          '}',
          '',
          registration(route, 'requireUser', around),
        ].join('\n'),
        caller: 'req.user.id',
        role: 'req.user.role',
      }
  }
  const [open, refuse, close, header] =
    route.framework === 'Express'
      ? [
          'async function requireUser(req, res, next) {',
          'return res.status(401).end()',
          ['  req.user = user', '  next()', '}', '', registration(route, 'requireUser', around)],
          "req.get('authorization')",
        ]
      : route.framework === 'Fastify'
        ? ["fastify.addHook('onRequest', async (request, reply) => {", 'return reply.code(401).send()', ['})'], 'request.headers.authorization']
        : [
            'async function requireUser(c, next) {',
            'return c.body(null, 401)',
            ['  await next()', '}', '', registration(route, 'requireUser', around)],
            "c.req.header('Authorization')",
          ]
  const user = { caller: route.framework === 'Express' ? 'req.user.id' : 'user.id', role: route.framework === 'Express' ? 'req.user.role' : 'user.role' }
  if (!supabase)
    return {
      code:
        route.framework === 'Fastify'
          ? `${open}\n  // verify the session here\n  if (!user) ${refuse}\n})`
          : `${registration(route, 'requireUser', around)}\n// requireUser stands for a middleware that verifies the session and answers 401`,
      ...user,
      ...(guard ? {} : { note: noSessions(route, all) }),
    }
  const client = ['supabase', 'supabaseAdmin', 'supabaseClient'].find((n) => names.has(n))
  const code: SessionCode = {
    code: [
      ...(client ? [] : clientLines(around, names, route.path)),
      open,
      `  const token = ${header}?.replace(/^Bearer /, '') ?? ''`,
      `  const { data: { user } } = await ${client ?? 'supabase'}.auth.getUser(token)`,
      `  if (!user) ${refuse}`,
      ...close,
    ].join('\n'),
    ...user,
  }
  return withFirstSignIn(code, around, guard)
}
