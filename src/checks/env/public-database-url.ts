import type { PublicVariable } from '../../model/env/env.ts'
import type { ModulesModel } from '../../model/modules/modules.ts'
import { defineCheck, failed, type Issue, passed } from '../define-check.ts'
import { noneIsPublic, publicLookedAt } from './public-evidence.ts'
import { renameOnServer } from './rename-on-server.ts'

const DATABASE_NAME =
  /DATABASE_?(?:URL|URI|DSN)|POSTGRES(?!T)|MONGO(?!LIA)|MYSQL|REDIS_?(?:URL|URI|TLS)|(?:^|_)DB_?(?:URL|URI|CONNECTION|DSN)|(?:^|_)DIRECT_?URL|(?:^|_)PG_?(?:URL|URI|CONNECTION)|CONNECTION_STRING/i
const NO_URL = /FIREBASE|_(?:ENABLED|NAME|TYPE|PROVIDER|VERSION|REGION|TIMEOUT|SCHEMA|TABLE|DRIVER)$|REDIS_?REST/i
const DATABASE_VALUE = /^(?:postgres(?:ql)?|prisma(?:\+postgres)?|mysql2?|mariadb|mongodb(?:\+srv)?|rediss?|libsql|sqlserver|mssql|cockroachdb):\/\//i

export default defineCheck({
  number: 12,
  id: 'env/public-database-url',
  category: 'Environment variables',
  rule: 'No database URL is held in a variable with a public prefix.',
  needs: ['env', 'modules'],
  doubtedBy: ['env-file', 'source-text', 'config'],
  run({ env, modules }) {
    if (!env.publicVariables.length) return noneIsPublic(env)
    const issues = env.publicVariables.filter(holdsDatabaseUrl).map((v) => issue(v, modules))
    const evidence = publicLookedAt(env)
    return issues.length ? failed(issues, [evidence]) : passed(evidence)
  },
})

function holdsDatabaseUrl(v: PublicVariable): boolean {
  if (v.definitions.some((d) => DATABASE_VALUE.test(d.value))) return true
  if (!DATABASE_NAME.test(v.bare) || NO_URL.test(v.bare)) return false
  // an address of a web API under such a name (a realtime database, a REST proxy) is no connection string
  const values = v.definitions.map((d) => d.value).filter(Boolean)
  return !(values.length > 0 && values.every((value) => /^(?:https?|wss?):\/\//i.test(value) || /^(?:true|false|\d+)$/i.test(value)))
}

function issue(v: PublicVariable, modules: ModulesModel): Issue {
  const byValue = v.definitions.find((d) => DATABASE_VALUE.test(d.value))
  const places = [
    ...v.reads.map((r) => ({ path: r.path, line: r.line, what: 'read here' })),
    ...v.definitions.map((d) => ({ path: d.path, line: d.line, what: d.inlinedBy ? `inlined by ${d.inlinedBy}` : 'defined here' })),
  ]
  const [at, ...others] = places
  const serverName = v.prefix ? v.bare : v.name
  const because = v.prefix ? `the prefix \`${v.prefix}\`` : (v.definitions[0]?.inlinedBy ?? 'the build configuration')
  return {
    subject: `env ${v.name}`,
    severity: 'Critical',
    title: 'Database URL in a public variable',
    message: `\`${v.name}\` ${byValue ? 'holds a database connection string' : 'is named as a database connection string'}, and ${because} writes its value into the JavaScript that every visitor downloads.`,
    attack: 'A visitor reads the host, user and password out of the bundle and connects to the database directly, past every policy.',
    fix: {
      byHand: { what: `Change the database password in ${v.name}`, where: 'the database settings of your provider' },
      text: `Rename the variable to \`${serverName}\`, read it in server code only, and change the database password: the old one has been published with every build.`,
      language: 'ts',
      code: `// server only: route handler, server action, edge function\nconst databaseUrl = process.env.${serverName}`,
      ...renameOnServer(v, modules),
    },
    at: { path: at?.path ?? '', line: at?.line ?? 1 },
    related: others.slice(0, 20),
    proof: 'inferred',
    aliases: ['CWE-200', 'CWE-522'],
  }
}
