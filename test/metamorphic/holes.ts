import type { Dialect } from './frameworks.ts'

/** One obvious hole of a check, and the same handler mended. `db` runs SQL in both. */
export interface Hole {
  readonly check: 16 | 17 | 18 | 19
  readonly imports: string
  readonly bad: (d: Dialect) => string
  readonly mended: (d: Dialect) => string
}

const signedIn = (d: Dialect): string =>
  `let caller\n  try { caller = jwt.verify(String(${d.token}).replace('Bearer ', ''), process.env.JWT_SECRET) } catch { ${d.answer('null', 401)} }`

const JWT = "import jwt from 'jsonwebtoken'"

/** The holes: unguarded deletion, a row of somebody else, a password guessed without limit, a request inside of SQL. */
export const HOLES: readonly Hole[] = [
  {
    check: 16,
    imports: JWT,
    bad: (d) => `await db.query('delete from accounts where id = $1', [${d.input('id')}])\n  ${d.answer('{ done: true }')}`,
    mended: (d) => `${signedIn(d)}\n  await db.query('delete from accounts where id = $1', [caller.sub])\n  ${d.answer('{ done: true }')}`,
  },
  {
    check: 17,
    imports: JWT,
    bad: (d) => `${signedIn(d)}\n  const found = await db.query('select * from orders where id = $1', [${d.input('id')}])\n  ${d.answer('found.rows')}`,
    mended: (d) =>
      `${signedIn(d)}\n  const found = await db.query('select * from orders where id = $1 and user_id = $2', [${d.input('id')}, caller.sub])\n  ${d.answer('found.rows')}`,
  },
  {
    check: 18,
    imports: `${JWT}\nimport bcrypt from 'bcrypt'\nimport { RateLimiterMemory } from 'rate-limiter-flexible'\nconst limiter = new RateLimiterMemory({ points: 5, duration: 60 })`,
    bad: (d) => login(d, ''),
    mended: (d) => login(d, `try { await limiter.consume(email) } catch { ${d.answer('null', 429)} }`),
  },
  {
    check: 19,
    imports: JWT,
    bad: (d) =>
      `${signedIn(d)}\n  const found = await db.query("select * from notes where user_id = " + Number(caller.sub) + " and title = '" + ${d.input('title')} + "'")\n  ${d.answer('found.rows')}`,
    mended: (d) =>
      `${signedIn(d)}\n  const found = await db.query('select * from notes where user_id = $1 and title = $2', [caller.sub, ${d.input('title')}])\n  ${d.answer('found.rows')}`,
  },
]

function login(d: Dialect, limit: string): string {
  return `const email = String(${d.input('email')})
  ${limit}
  const found = await db.query('select * from users where email = $1', [email])
  const user = found.rows[0]
  if (!user || !(await bcrypt.compare(String(${d.input('password')}), user.password_hash))) { ${d.answer('null', 401)} }
  ${d.answer('{ token: jwt.sign({ sub: user.id }, process.env.JWT_SECRET) }')}`
}
