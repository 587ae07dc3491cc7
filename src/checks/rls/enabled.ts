import { ROW_COMMANDS } from '../../database/access/sql.ts'
import type { Grant, Hole, Table } from '../../database/database.ts'
import { plural } from '../../lib/plural.ts'
import { withCapital } from '../../lib/with-capital.ts'
import type { AppModel } from '../../model/app-model.ts'
import { defineCheck, type Fix, failed, type Issue, notApplicable, type Outcome, passed, unverified } from '../define-check.ts'
import {
  exported,
  exposedTables,
  isBookkeeping,
  isClosed,
  isDeclaredPublic,
  listed,
  openTables,
  policiesOf,
  qualifiedName,
  unseenTables,
  whoGetsIn,
  withoutSchema,
} from './messages/rls.ts'
import { besideAdministrators, enableAdvice } from './remediation/enable-rls-advice.ts'
import { keptByCode } from './shared/owner-column-from-code.ts'

export default defineCheck({
  number: 1,
  id: 'rls/enabled',
  category: 'RLS',
  rule: 'RLS is enabled on every table, not on some of them.',
  needs: ['schema', 'access', 'declared', 'modules', 'routes'],
  doubtedBy: ['table', 'rls'],
  run(model): Outcome {
    const { schema } = model
    const missing = withoutSchema(schema, 'which tables there are')
    if (missing) return missing
    if (schema.unusedClient)
      return unverified(`${schema.unusedClient}; whether Supabase hosts the database that the code connects to is not in the repository`, {
        where: 'the host in DATABASE_URL and, if it is Supabase, its dashboard: Table Editor, or Settings > Data API',
        attest: 'that another provider hosts the database, that the data API is off, or that every table has row level security',
      })
    if (!schema.exposedToBrowsers) return notApplicable(schema.exposedBecause || 'no data platform that browsers can reach directly is used')
    const tables = exposedTables(model).filter((t) => !t.stub && !t.outlined)
    const evidence = [
      `${tables.filter((t) => t.rls.enabled).length} of ${plural(tables.length, 'table')} in exposed schemas ${tables.length === 1 ? 'has' : 'have'} row level security in the final state`,
    ]
    const issues = openTables(model)
      .filter((t) => !isReadOnlyByDeclaration(model, t))
      .map((t) => issueOf(model, t))
    if (issues.length) {
      const named = unseenTables(schema)
      return failed(issues, named?.status === 'unverified' ? [...evidence, named.because] : evidence)
    }
    const elsewhere = exposedTables(model).filter((t) => t.stub || t.outlined)
    const [enabled, stubs] = [elsewhere.filter(isShownEnabled), elsewhere.filter((t) => !isShownEnabled(t))]
    const unseen = unseenTables({
      ...schema,
      queriedButNotCreated: schema.queriedButNotCreated.filter(
        (q) => !exposedTables(model).some((t) => (t.name === q.table || qualifiedName(t) === q.table) && isShownEnabled(t)),
      ),
    })
    if (unseen) return { ...unseen, evidence }
    if (!tables.length)
      return stubs.length
        ? {
            status: 'unverified',
            because: `${listed(stubs.map(qualifiedName))} appear in the SQL, but nothing creates them${exported(schema)}`,
            howToVerify: { where: 'the Supabase dashboard, Database > Tables', attest: 'that they have row level security' },
          }
        : enabled.length
          ? passed(`${listed(enabled.map(qualifiedName))}: created elsewhere, with row level security enabled here`)
          : notApplicable('no table in an exposed schema')
    return passed(...evidence)
  },
})

/** Whether a statement of the repository enables row level security. */
function isShownEnabled(table: Table): boolean {
  return table.rls.enabled && !table.rls.assumed
}

/** Declared public and not writable by browsers: what is open is what the owner opened. */
function isReadOnlyByDeclaration(model: Pick<AppModel, 'declared'>, table: Table): boolean {
  return isDeclaredPublic(model.declared, qualifiedName(table)) && !browserGrants(table).some((g) => g.privilege !== 'select')
}

function browserGrants(table: Table): readonly Grant[] {
  return table.grants.filter(
    (g) => ROW_COMMANDS.some((c) => c === g.privilege) && (g.role === 'anon' || g.role === 'authenticated' || g.role.toLowerCase() === 'public'),
  )
}

function issueOf(model: Pick<AppModel, 'schema' | 'access' | 'modules' | 'routes'>, table: Table): Issue {
  const name = qualifiedName(table)
  const hole = model.access.holes?.find((h) => h.kind === 'no-rls' && h.object === name)
  const policies = policiesOf(model.schema, table)
  const grants = browserGrants(table)
  const explicit = grants.filter((g) => g.at)
  const closed = isClosed(table)
  const bookkeeping = isBookkeeping(table)
  const anon = grants.some((g) => g.role !== 'authenticated')
  const verbs = [...new Set(grants.map((g) => g.privilege))]
  const disabled = table.rls.at && !(table.rls.at.path === table.at.path && table.rls.at.line === table.at.line)
  const owner = table.userData
  const kept = policies.length ? undefined : keptByCode(model, table)
  const fix = kept ? besideAdministrators(model, table, ownRowsByCode(name, kept)) : enableAdvice(model, table, hole ?? unproved(table), policies)
  const what =
    table.kind === 'foreign'
      ? 'is a foreign table, which cannot have row level security'
      : disabled
        ? 'has row level security switched off by a statement after the one that creates it'
        : 'never gets row level security'
  return {
    subject: `table ${name}`,
    ...(explicit.some((g) => g.role !== 'authenticated') ? { discriminator: 'granted to anon' } : {}),
    severity: closed || bookkeeping ? 'Medium' : 'Critical',
    title: `Row level security is off on ${name}`,
    message: `${name} ${what}${closed ? '; only because anon and authenticated hold no privileges on it is it closed today' : ''}.${policies.length ? ` It has ${policies.length === 1 ? 'a policy' : `${policies.length} policies`}, but while row level security is off ${policies.length === 1 ? 'it has' : 'they have'} no effect.` : ''}${disabled ? byHand(table) : ''}`,
    attack: closed
      ? `Nobody reaches ${name} through the API today; the next GRANT opens it whole.`
      : `${withCapital(whoGetsIn(model.schema, anon ? 'anon' : 'authenticated'))} can ${listed(verbs.map((v) => (v === 'select' ? 'read' : v)))} every row of ${table.name}${owner || kept ? `, other users' rows included` : ''}.`,
    fix,
    at: table.stub && table.rls.at ? table.rls.at : table.at,
    related: [
      ...(table.alsoOpenAt ?? []).map((at) => ({
        ...at,
        subject: `table ${name}`,
        what: 'the same table in another database of the repository, open as well',
      })),
      ...(disabled && table.rls.at && !table.stub ? [{ ...table.rls.at, what: 'row level security is switched off here' }] : []),
      ...policies.map((p) => ({ ...p.at, subject: `policy ${name} "${p.name}"`, what: 'has no effect while row level security is off' })),
      ...explicit
        .flatMap((g) => (g.at ? [{ ...g.at, what: `grants ${g.privilege} to ${g.role}` }] : []))
        .filter((r, i, all) => all.findIndex((o) => o.path === r.path && o.line === r.line) === i),
    ],
    proof: hole?.proof ?? 'inferred',
    ...(!closed && explicit.length === 0 && model.access.autoExpose === undefined
      ? {
          assumes:
            'that the project grants new tables to the API roles, as Supabase projects created before mid-2026 and self-hosted ones do; the repository does not show which kind this is',
        }
      : {}),
    aliases: [
      ...(policies.length ? ['splinter:0007'] : []),
      table.kind === 'foreign' ? 'splinter:0017' : 'splinter:0013',
      ...(owner?.personalColumns.length ? ['splinter:0023'] : []),
      ...(table.schema === 'pgmq' ? ['splinter:0019'] : []),
      'CWE-862',
    ],
  }
}

/** The platform's tool skips what stands beside the migrations without a version. */
const byHand = ({ rls }: Table): string =>
  rls.at && /(?:^|\/)supabase\/migrations\/(?!\d)[^/]+$/.test(rls.at.path)
    ? ` That statement stands in ${rls.at.path}, whose name has no version: the platform's tool skips such a file, so this holds where somebody ran it by hand.`
    : ''

/** Of a table that was not tried. */
const unproved = (table: Table): Hole => ({
  kind: 'no-rls',
  object: qualifiedName(table),
  command: 'select',
  who: 'anon',
  at: table.at,
  proof: 'inferred',
  fix: { code: `alter table ${qualifiedName(table)} enable row level security;`, proved: false },
})

/** The policy that says what the code says already; nothing of it can be tried, because the SQL does not create the column. */
function ownRowsByCode(name: string, { column, at }: NonNullable<ReturnType<typeof keptByCode>>): Fix {
  const own = `(select auth.uid())::text = ${column}::text`
  return {
    text: `Enable row level security and let each user reach the own rows only: the code asks for them by ${column} (${at.path}:${at.line}), a column that no SQL of the repository creates.`,
    language: 'sql',
    code: `alter table ${name} enable row level security;\ncreate policy "Users manage their own rows" on ${name}\n  for all to authenticated\n  using (${own})\n  with check (${own});`,
  }
}
