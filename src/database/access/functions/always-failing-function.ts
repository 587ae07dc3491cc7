import type { Catalog, SqlFunction } from '../../database.ts'
import type { World } from '../expression/scope.ts'
import { kindAndFields, type Tree } from '../expression/tree.ts'
import { type AccessSession, SqlFailure } from '../trials/access-session.ts'

/** Statements that fail whenever they are planned, whatever they are given: a name that may be a column or a variable, an aggregate where none may stand. */
const WHENEVER_PLANNED = new Set(['42702', '42803'])
/** More statements of one function than this are not tried. */
const MAX_STATEMENTS = 16
const WRITING_STATEMENT_SQL = /^\s*(?:insert|update|delete|merge|truncate)\b|^\s*with\b[\s\S]{0,4000}\b(?:insert\s+into|update|delete\s+from|merge\s+into)\b/i

/** What keeps a function from having any effect. */
export interface OwnFailure {
  readonly because: string
  /** Line of the body. */
  readonly line: number
}

/** A statement of a body, and whether every call comes to it unless it ended before. */
interface Step {
  readonly text: string
  readonly line: number
  readonly writes: boolean
}

/**
 * Why no call of a function changes or answers anything, by an error of its own and not of the arguments: a statement that every call comes to, or each
 * one that writes, cannot be planned. Each is tried alone in the place of the body, so that no handler swallows the error.
 */
export async function ownFailure(
  session: AccessSession,
  catalog: Catalog,
  world: World,
  fn: SqlFunction,
  object: string,
  call: string,
): Promise<OwnFailure | undefined> {
  if (fn.language !== 'plpgsql') return undefined
  const main = mainBlock(world.parseBody(fn))
  if (!main) return undefined
  const head = headOf(fn.body, Number(main['lineno'] ?? 0))
  const { rows } = await session.query('select pg_get_functiondef($1::regprocedure) as text', [object])
  const definition = String(rows[0]?.['text'] ?? '')
  const at = definition.indexOf('\nAS $')
  if (head === undefined || at < 0) return undefined
  let tried = 0
  const fails = async (step: Step): Promise<OwnFailure | undefined> => {
    if (++tried > MAX_STATEMENTS) return undefined
    const tag = '$prelaunch_step$'
    const body = `${head}begin\n${step.text};\nend`
    if (body.includes(tag)) return undefined
    try {
      await session.exec(`begin; set local check_function_bodies = off; ${definition.slice(0, at)}\nAS ${tag}${body}${tag}; select 1 from ${call} as answer`)
      return undefined
    } catch (error) {
      if (!(error instanceof SqlFailure)) throw error
      return WHENEVER_PLANNED.has(error.code) ? { because: error.message, line: step.line } : undefined
    } finally {
      await session.exec('rollback')
    }
  }
  const body = (main['body'] ?? []) as readonly Tree[]
  const handled = ((main['exceptions']?.PLpgSQL_exception_block?.exc_list ?? []) as readonly Tree[]).some((h) =>
    stepsIn(h['PLpgSQL_exception']?.action).some((s) => s.writes),
  )
  for (const [i, statement] of body.entries()) {
    const step = stepOf(statement)
    if (!step || handled || body.slice(0, i).some(endsAfterWriting)) continue
    const failure = await fails(step)
    if (failure) return failure
  }
  const writes = stepsIn(body).filter((s) => s.writes)
  if (!writes.length || writesElsewhere(fn, catalog)) return undefined
  const failures: OwnFailure[] = []
  for (const step of writes) {
    const failure = await fails(step)
    if (!failure) return undefined
    failures.push(failure)
  }
  return failures[0]
}

/** The block of the function itself; one with handlers stands inside of another. */
function mainBlock(parsed: Tree | undefined): Tree | undefined {
  let block: Tree | undefined = parsed?.['plpgsql_funcs']?.[0]?.PLpgSQL_function?.action?.PLpgSQL_stmt_block
  while (block && block['lineno'] === undefined) block = block['body']?.[0]?.PLpgSQL_stmt_block
  return block
}

/** Declarations and options before the body's BEGIN, which stands in the line that the parser names. */
function headOf(body: string, line: number): string | undefined {
  const lines = body.split('\n')
  const begin = /\bbegin\b/i.exec(lines[line - 1] ?? '')
  return begin ? [...lines.slice(0, line - 1), (lines[line - 1] as string).slice(0, begin.index)].join('\n') : undefined
}

/** A statement with SQL in it, so that it can be tried alone. */
function stepOf(node: Tree): Step | undefined {
  const [kind, n] = kindAndFields(node)
  const line = Number(n['lineno'] ?? 0)
  const query = (of: string): string | undefined => n[of]?.PLpgSQL_expr?.query
  switch (kind) {
    case 'PLpgSQL_stmt_execsql': {
      const text = query('sqlstmt')
      return text === undefined ? undefined : { text, line, writes: WRITING_STATEMENT_SQL.test(text) }
    }
    case 'PLpgSQL_stmt_assign': {
      const text = query('expr')
      return text !== undefined && /\bselect\b/i.test(text) ? { text, line, writes: false } : undefined
    }
    case 'PLpgSQL_stmt_return_query': {
      const text = query('query')
      return text === undefined ? undefined : { text: `return query ${text}`, line, writes: false }
    }
    default:
      return undefined
  }
}

/** Statements at any depth. */
function stepsIn(root: unknown): Step[] {
  const found: Step[] = []
  each(root, (node) => {
    const step = stepOf(node)
    if (step) found.push(step)
  })
  return found
}

/** A branch that changes something and leaves the function: what comes after it is not for every call. */
function endsAfterWriting(statement: Tree): boolean {
  let returns = false
  let writes = false
  if (kindAndFields(statement)[0] === 'PLpgSQL_stmt_return') return true
  each(statement, (node) => {
    const [kind] = kindAndFields(node)
    if (/^PLpgSQL_stmt_(?:return|exit)/.test(kind)) returns = true
    if (/^PLpgSQL_stmt_(?:dyn|perform|call|commit)/.test(kind) || stepOf(node)?.writes || kind === 'PLpgSQL_stmt_return_query') writes = true
  })
  return returns && writes
}

/** Text that is put together, and other functions that write, do not show in the statements. */
function writesElsewhere(fn: SqlFunction, catalog: Catalog): boolean {
  const body = fn.body.toLowerCase()
  return (
    /\bexecute\b|\bcall\b/.test(body) ||
    catalog.functions.some(
      (f) => f !== fn && f.name !== fn.name && /\b(?:insert|update|delete|execute)\b/i.test(f.body) && body.includes(`${f.name.toLowerCase()}(`),
    )
  )
}

function each(root: unknown, visit: (node: Tree) => void): void {
  const stack: unknown[] = [root]
  while (stack.length) {
    const node = stack.pop()
    if (Array.isArray(node)) stack.push(...node)
    else if (node && typeof node === 'object') {
      visit(node as Tree)
      stack.push(...Object.values(node))
    }
  }
}
