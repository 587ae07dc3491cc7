import type { SqlFunction } from '../../database/database.ts'
import { bindParameters, bindTemplate } from '../../lib/bind-sql.ts'
import { rememberFor } from '../../lib/memo/memoize-by-object.ts'
import { linesFrom, type Place, type RelatedPlace } from '../../lib/place.ts'
import { plural } from '../../lib/plural.ts'
import type { Behaviour, Effect, Step, Value } from '../../model/behaviour/types.ts'
import { guardOfStep } from '../../model/routes/guards/guard.ts'
import { anyTable } from '../../model/routes/operations/dynamic-table.ts'
import type { Route } from '../../model/routes/routes.ts'
import { defineCheck, type Fix, failed, type Issue, notApplicable, passed, type Severity, unverified } from '../define-check.ts'
import { refusal } from './remediation/refusal-response.ts'
import { documentOf } from './sql-injection/graphql-document.ts'
import { type Taint, taintOf } from './sql-injection/taint.ts'

type QueryText = Extract<Effect, { kind: 'query-text' }>

export default defineCheck({
  number: 19,
  id: 'api/sql-injection',
  category: 'API endpoints',
  rule: 'No endpoint concatenates user input into a query string.',
  needs: ['routes', 'schema', 'files'],
  doubtedBy: ['code', 'pages', 'function'],
  covers: 'handlers',
  run({ routes, schema, files }) {
    const sinks = new Map<string, Sink>()
    let texts = 0
    let queries = 0
    for (const route of routes.routes) {
      if (!route.behaviour || files.role(route.path) !== 'source') continue
      const sent = sentBy(route.behaviour)
      queries += sent.queries
      texts += sent.texts.length
      for (const { step, text } of sent.texts) {
        // the processor's signed data is not the attacker's
        const who = guardOfStep(step, route.behaviour)?.who
        if (who === 'signature' || (who === 'secret' && text.language === 'postgrest')) continue
        // whoever names the table himself has its columns anyway: checks 16 and 17 say so
        if (text.sink === COLUMNS && route.behaviour.steps.some((s) => anyTable(s) !== undefined)) continue
        const taint = taintOf(text.text, text.language === 'graphql' ? 'sql' : text.language, step.under, route.behaviour.steps)
        if (taint) collect(sinks, route, step, text, taint)
      }
    }
    const functions = schema.functions.filter((f) => f.schema !== 'extensions' && /plpgsql/i.test(f.language))
    const issues = [...grouped([...sinks.values()]).map(sinkIssue), ...functions.flatMap(functionIssue)]
    const evidence = [
      `${plural(texts, 'query text')} and ${plural(queries, 'query', 'queries')} through builders in ${inWhat(routes.routes)}; ${plural(functions.length, 'PL/pgSQL function')}`,
    ]
    if (issues.length) return failed(issues, evidence)
    if (!texts && !queries && !functions.length) return notApplicable('no handler sends a query to a database', evidence)
    const unread = functions.filter((f) => f.executes === 'not parsed')
    if (unread.length)
      return unverified(
        `${unread[0]?.schema}.${unread[0]?.identity}${unread.length > 1 ? ` and ${unread.length - 1} more` : ''} executes text, and its body cannot be parsed`,
        {
          where: unread
            .slice(0, 10)
            .map((f) => `function ${f.schema}.${f.identity} at ${f.at.path}:${f.at.line}`)
            .join(', '),
          attest: 'that EXECUTE in these functions quotes or binds every parameter',
        },
        evidence,
      )
    return passed(...evidence)
  },
})

/** How often a behaviour queries through builders, and the texts that it has run. */
const sentBy = rememberFor(({ steps }: Behaviour): { readonly queries: number; readonly texts: readonly { readonly step: Step; readonly text: Text }[] } => ({
  queries: steps.filter(({ effect: { kind } }) => kind === 'db' || kind === 'rpc').length,
  texts: steps.flatMap((step) => {
    const text = textOf(step.effect)
    return text ? [{ step, text }] : []
  }),
}))

type Language = QueryText['language'] | 'graphql'

interface Sink {
  readonly text: Text
  readonly step: Step
  readonly taint: Taint
  readonly routes: Route[]
}

interface Text {
  readonly text: Value
  readonly sink: string
  readonly language: Language
  /** A key of the server goes with it. */
  readonly keyed?: boolean
  readonly driver?: string
  readonly inside?: string
}

/** Functions that run the SQL they are given. */
const RUNS_SQL = /^(?:exec|execute|run|query|raw)(?:_?(?:raw|dynamic))?_?(?:sql|query|statement)?$/i

function textOf(e: Effect): Text | undefined {
  if (e.kind === 'query-text')
    return {
      text: e.text,
      sink: e.sink,
      language: e.language,
      ...(e.client?.driver ? { driver: e.client.driver } : {}),
      ...(e.inside ? { inside: e.inside } : {}),
    }
  if (e.kind === 'rpc' && RUNS_SQL.test(e.function) && e.args.v === 'object') {
    const text = Object.entries(e.args.props).find(([n]) => /sql|query|statement/i.test(n))?.[1]
    if (text) return { text, sink: `rpc('${e.function}')`, language: 'sql' }
  }
  const document = e.kind === 'http' ? documentOf(e) : undefined
  if (document && e.kind === 'http') return { ...document, sink: e.name, language: 'graphql' }
  return undefined
}

function collect(sinks: Map<string, Sink>, route: Route, step: Step, text: Text, taint: Taint): void {
  const key = `${step.at.path}:${step.at.line}:${text.sink}`
  const known = sinks.get(key)
  if (!known) sinks.set(key, { text, step, taint, routes: [route] })
  else {
    if (!known.routes.includes(route)) known.routes.push(route)
    if (known.taint.origin === 'unknown' && taint.origin === 'request') sinks.set(key, { ...known, taint })
  }
}

/** A handler of its own, not a helper that several use. */
const isOwn = ({ step, routes }: Sink): boolean => routes.length === 1 && step.at.path === routes[0]?.path

/** The queries of one handler, or of one helper, are one cause; what takes the request's own data speaks for the others. */
function grouped(sinks: readonly Sink[]): readonly (readonly Sink[])[] {
  const groups = new Map<string, Sink[]>()
  for (const sink of sinks) {
    const key = `${isOwn(sink) ? sink.routes[0]?.subject : `${sink.step.at.path} ${sink.text.inside ?? ''}`} ${sink.text.language}`
    const group = groups.get(key)
    if (group) group.push(sink)
    else groups.set(key, [sink])
  }
  const rank = (s: Sink) => (s.taint.origin === 'request' ? 0 : 1)
  const ranked = [...groups.values()].map((group) => group.sort((a, b) => rank(a) - rank(b)))
  // several helpers of one file that put the same into their texts do it the same way
  return [...Map.groupBy(ranked, idiomOf).values()].map((alike) => alike.flat())
}

function idiomOf(group: readonly Sink[]): string | readonly Sink[] {
  const first = group[0] as Sink
  return isOwn(first) ? group : `${first.step.at.path} ${first.text.language} ${first.taint.what}`
}

function sinkIssue(group: readonly Sink[]): Issue {
  const { text, step, taint } = group[0] as Sink
  const routes = [...new Set(group.flatMap((s) => s.routes))]
  const route = routes[0] as Route
  const own = isOwn(group[0] as Sink)
  const severity: Severity = taint.origin === 'request' && (text.language === 'sql' || text.language === 'mongo' || text.keyed) ? 'Critical' : 'High'
  const related: RelatedPlace[] = [
    ...group.slice(1).map((s): RelatedPlace => ({ ...s.step.at, what: `${s.text.sink} gets such a text too` })),
    ...(own ? [] : routes.map((r): RelatedPlace => ({ path: r.path, line: r.line, subject: r.subject, what: 'sends its request data there' }))),
  ]
  return {
    subject: own ? route.subject : `file ${step.at.path}`,
    discriminator: `${text.inside ?? ''} ${text.sink}`,
    severity,
    title:
      text.language === 'postgrest'
        ? text.sink === COLUMNS
          ? 'The request picks the columns'
          : 'Request data in a PostgREST filter string'
        : text.language === 'mongo'
          ? 'Request data in a $where expression'
          : text.language === 'graphql'
            ? 'Request data in a GraphQL document'
            : 'Request data in SQL text',
    message: `${text.sink} gets a text that is put together with ${taint.what}; nothing binds, escapes or restricts it.`,
    attack:
      text.sink === COLUMNS
        ? 'Somebody asks for columns that no page shows, and for rows of other tables that belong to these: `*, users(*)`.'
        : ATTACK[text.language],
    fix: fixOf(text, taint, step.at, route),
    at: step.at,
    related,
    proof: 'inferred',
    aliases: [text.language === 'sql' ? 'CWE-89' : 'CWE-943'],
    ...(route.workspace ? { workspace: route.workspace } : {}),
  }
}

const ATTACK: Readonly<Record<Language, string>> = {
  sql: 'An attacker closes the literal and appends SQL of his own: he reads, changes or drops any table that the connection reaches.',
  postgrest: 'An attacker adds a comma and a condition of his own, so that the filter matches rows that it was meant to leave out.',
  graphql: 'An attacker closes the string and adds fields or mutations of his own, which run with the rights of the key that the server sends along.',
  mongo: 'An attacker sends JavaScript that the database runs for every document: he reads any field bit by bit or stops the server.',
}

/** The list of columns of a query, which embeds other tables as well. */
const COLUMNS = '.select()'

/** Of the columns that the request asks for, those that the code lists. */
function columnsFix({ what }: Taint): Fix {
  const name = /`(?:[\w.]{0,60}\.)?([A-Za-z_$][\w$]{0,40})`/.exec(what)?.[1] ?? 'columns'
  return {
    text: 'Write down which columns may be picked, and leave out whatever else the request asks for. Where pages never ask for others than these, write the list into the query.',
    language: 'ts',
    code: `const SHOWN = ['id'] // the columns that pages show, and no table beside\nconst picked = String(${name}).split(',').map((c) => c.trim()).filter((c) => SHOWN.includes(c)).join(',') || 'id'`,
  }
}

/** A value of a known form is refused in any other; a text that somebody searches for is left without what the filter language reads. */
function postgrestFix({ what }: Taint, route: Route): Fix {
  const name = /`(?:[\w.]{0,60}\.)?([A-Za-z_$][\w$]{0,40})`/.exec(what)?.[1]
  const form =
    name &&
    (/(?:^|_)u?u?id$|Id$/.test(name)
      ? ['an id', '[\\w-]{1,64}', '']
      : /phone|mobile|^from$|^to$|number$/i.test(name)
        ? ['a number', '\\+?\\d{5,15}', '']
        : undefined)
  if (name && form)
    return {
      text: `Refuse what is not ${form[0]} before it gets into the filter, or use one bound filter per column.`,
      language: 'ts',
      code: `if (!/^${form[1]}$/${form[2]}.test(String(${name === 'From' ? 'from' : name}))) ${refusal(route, 400)}`,
    }
  return {
    text: 'Take the characters that have a meaning in the filter out of the value, or use one bound filter per column.',
    language: 'ts',
    code: `const term = String(${name ?? 'q'}).replace(/[,()\\\\"'%*]/g, ' ').trim()\nquery.or(\`name.ilike.%\${term}%,email.ilike.%\${term}%\`) // the columns that stand there now`,
  }
}

function fixOf(text: Text, taint: Taint, at: Place, route: Route): Fix {
  if (text.sink === COLUMNS) return columnsFix(taint)
  if (text.language === 'postgrest') return postgrestFix(taint, route)
  if (text.language === 'mongo')
    return { text: 'Compare fields with operators instead of running code.', language: 'ts', code: 'collection.find({ name: { $eq: String(name) } })' }
  if (text.language === 'graphql')
    return {
      text: `Keep the document as it is written and pass ${taint.what} as a variable.`,
      language: 'ts',
      code: "body: JSON.stringify({ query: 'query ($id: ID!) { product(id: $id) { id } }', variables: { id: productId } })",
    }
  const bind: Readonly<Record<string, string>> = {
    $queryRawUnsafe: 'await prisma.$queryRaw`select * from notes where title = ${title}`',
    $executeRawUnsafe: 'await prisma.$executeRaw`update notes set title = ${title} where id = ${id}`',
    'sql.raw': 'sql`select * from notes where title = ${title}`',
    unsafe: 'await sql`select * from notes where title = ${title}`',
    raw: "knex.raw('select * from notes where title = ?', [title])",
  }
  return {
    text: `Pass ${taint.what} as a parameter; identifiers (columns, directions) come from a fixed list.`,
    language: 'ts',
    code: bind[text.sink] ?? "await db.query('select * from notes where title = $1', [title])",
    ...bindingRewrite(text, at),
  }
}

/** The call as its library binds values, where that is a change of the template alone. */
function bindingRewrite(text: Text, at: Place): Pick<Fix, 'rewrite'> {
  const lines = linesFrom(at, 20)
  if (/unsafe$/i.test(text.sink)) return { rewrite: { ...lines, apply: bindTemplate } }
  if (text.sink !== 'query' && text.sink !== 'execute') return {}
  if (/^(?:pg|@neondatabase\/serverless|@vercel\/postgres)$/.test(text.driver ?? '')) return { rewrite: { ...lines, apply: bindParameters((i) => `$${i}`) } }
  return /^mysql2?(?:\/promise)?$/.test(text.driver ?? '') ? { rewrite: { ...lines, apply: bindParameters(() => '?') } } : {}
}

function functionIssue(fn: SqlFunction): Issue[] {
  const found = fn.executes
  if (!found || found === 'not parsed') return []
  const reachable = fn.executableBy.filter((r) => r === 'anon' || r === 'authenticated' || r === 'public')
  const called = reachable.length > 0
  return [
    {
      subject: `function ${fn.schema}.${fn.identity}`,
      severity: called ? 'Critical' : 'High',
      title: 'A database function executes text with a parameter in it',
      message: `EXECUTE runs a text that holds the parameter ${found.parameter} (${found.how}), neither quoted nor bound${called ? `; ${reachable.join(' and ')} may call the function` : ''}.`,
      attack: fn.securityDefiner
        ? 'A caller passes SQL as the argument; it runs with the rights of the owner of the function, past row level security.'
        : 'A caller passes SQL as the argument and has it executed.',
      fix: {
        text: 'Bind values with USING, and put identifiers in with format() and %I.',
        language: 'sql',
        code: `EXECUTE format('SELECT * FROM %I WHERE name = $1', table_name) USING ${found.parameter};`,
      },
      at: fn.at,
      proof: 'inferred',
      aliases: ['CWE-89'],
    },
  ]
}

/** Pages that a server renders query as well; those of a single-page application are not looked at here. */
function inWhat(routes: readonly Route[]): string {
  const read = routes.filter((r) => r.behaviour)
  const pages = read.filter((r) => r.kind === 'page').length
  return `${plural(read.length - pages, 'handler')}${pages ? ` and ${plural(pages, 'page')}` : ''}`
}
