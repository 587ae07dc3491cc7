import type { Expr, FunctionId, JavaScriptFacts } from '../../facts/javascript.ts'
import { collectByCodeFile } from '../../facts/questions.ts'
import type { Place } from '../../lib/place.ts'
import type { Program } from './program.ts'
import { calleeText, expressionsDeep, propOf, stringOf, stringsOf } from './walk.ts'

/** A column of their own account that people set themselves when they sign up or change it. */
export interface AccountField extends Place {
  readonly name: string
  /** The only texts that it takes, where they are listed. */
  readonly choices?: readonly string[]
  readonly workspace?: string
}

/** `user.additionalFields` of Better Auth: what does not say `input: false` is taken from whoever signs up. */
export function accountFields(program: Program): readonly AccountField[] {
  return [...configuredByFile(program.sources)].flatMap(([path, configurations]) =>
    configurations.flatMap(({ scope, config }) => {
      const followed = (expr: Expr | undefined): Expr | undefined => {
        const m = expr && program.meaning(path, scope, expr)
        return m?.k === 'expr' && m.path === path ? m.expr : undefined
      }
      // a hook may put back what was sent
      if (propOf(config, 'databaseHooks') || propOf(config, 'hooks')) return []
      const fields = followed(propOf(followed(propOf(config, 'user')), 'additionalFields'))
      const { dir } = program.workspace(path)
      if (fields?.k !== 'obj') return []
      const plugins = followed(propOf(config, 'plugins'))
      const taken = fields.props.filter((p) => !(p.key === 'role' && administers(plugins)))
      return taken.flatMap((p) => fieldOf(p.key, followed(p.value), { path, line: p.l }, dir))
    }),
  )
}

/** The plug-in for administrators has a `role` of its own, which it takes from nobody. */
const administers = (plugins: Expr | undefined): boolean => plugins?.k === 'arr' && plugins.items.some((x) => x.k === 'call' && calleeText(x.fn) === 'admin')

function fieldOf(name: string | undefined, field: Expr | undefined, at: Place, workspace: string): AccountField[] {
  if (!name || field?.k !== 'obj') return []
  const input = propOf(field, 'input')
  if (input && !(input.k === 'lit' && input.v === true)) return []
  const type = propOf(field, 'type')
  const choices = type && stringOf(type) === undefined ? stringsOf(type) : []
  return [{ name, ...at, ...(choices.length ? { choices } : {}), ...(workspace ? { workspace } : {}) }]
}

const configuredByFile = collectByCodeFile((_, js: JavaScriptFacts): readonly { readonly scope: FunctionId; readonly config: Expr }[] | undefined => {
  if (!js.imports.some((i) => i.from.startsWith('better-auth'))) return undefined
  const found = [...expressionsDeep(js, 0)].flatMap(({ expr, scope }) =>
    expr.k === 'call' && calleeText(expr.fn) === 'betterAuth' && expr.args[0] ? [{ scope, config: expr.args[0] }] : [],
  )
  return found.length ? found : undefined
})
