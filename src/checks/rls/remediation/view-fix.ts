import { readableName } from '../../../database/access/sql.ts'
import type { Hole } from '../../../database/database.ts'
import type { AppModel } from '../../../model/app-model.ts'
import { isOfAdministrators } from '../../api/remediation/intended-caller.ts'
import type { Fix } from '../../define-check.ts'
import { fixOf, listed, policiesOf, qualifiedName, tableOfHole } from '../messages/rls.ts'
import { usesOf } from '../shared/client-usage.ts'
import { asksRole } from '../shared/role-only-policy.ts'
import { administratorsCondition } from './admin-policy.ts'

type Model = Pick<AppModel, 'schema' | 'modules' | 'routes'>

/** How a view that shows everybody's rows is closed without closing the pages that read it. */
export function viewFix(model: Model, hole: Hole, tables: readonly string[]): Fix {
  const [schema = '', name = ''] = hole.object.split('.')
  const uses = usesOf(model, { schema, name })
  const places = [...new Set(uses.map((u) => `${u.path}:${u.line}`))]
  const view = model.schema.views.find((v) => qualifiedName(v) === hole.object)
  const takes = hole.fix?.code.startsWith('revoke') ?? false
  const admin = uses.length && uses.every((u) => isOfAdministrators(u.path)) && !view?.materialized ? administratorsCondition(model) : undefined
  if (view && admin && (takes || tables.some((t) => !isReadByRole(model, t))))
    return {
      text: `Let the view ask itself who reads it: only pages for administrators do (${listed(places.slice(0, 3))}), with the rights of their own session (the role is kept in ${admin.role}). ${takes ? 'Without SELECT on it they would get an error, and' : 'Under security_invoker they would see no more than their own rows;'} the columns stay as they are.`,
      language: 'sql',
      code: [
        ...(admin.made ? [admin.made] : []),
        `create or replace view ${readableName(hole.object)} as\nselect * from (\n${view.definition.trim().replace(/;$/, '')}\n) as shown\nwhere ${admin.condition};`,
      ].join('\n'),
    }
  if (!takes) return fixOf(hole, `Let the view run with the rights of whoever reads it.${unreadable(model, hole, tables)}`)
  const what = view?.materialized
    ? 'Take the API roles their SELECT privilege on it and read it on the server.'
    : 'Take the API roles their SELECT privilege on it and read it on the server: with the rights of whoever reads it (security_invoker) it would refuse everybody, for nobody may read auth.users.'
  return fixOf(
    hole,
    places.length
      ? `${what} ${listed(places.slice(0, 3))} ${places.length > 1 ? 'read' : 'reads'} it with the rights of whoever visits and ${places.length > 1 ? 'fail' : 'fails'} then: ask the server there${view?.materialized ? '' : ', or let the view itself ask in its WHERE whose rows the caller may see, and leave the privilege'}.`
      : what,
  )
}

/** A policy that lets in those who have a role shows them all rows through a view as well. */
function isReadByRole({ schema }: Model, name: string): boolean {
  const table = tableOfHole(schema, name)
  return table !== undefined && policiesOf(schema, table).some((p) => p.permissive && (p.command === 'select' || p.command === 'all') && asksRole(p))
}

/** Tables of a view that no policy shows to anybody: with the rights of whoever reads it the view is empty. */
function unreadable({ schema }: Model, hole: Hole, names: readonly string[]): string {
  if (!hole.fix?.code.includes('security_invoker')) return ''
  const closed = names.filter((name) => {
    const table = tableOfHole(schema, name)
    if (!table?.rls.enabled || table.stub || table.rls.assumed) return false
    return !policiesOf(schema, table).some(
      (p) => p.permissive && (p.command === 'select' || p.command === 'all') && p.roles.some((r) => /^(?:public|anon|authenticated)$/i.test(r)),
    )
  })
  if (!closed.length) return ''
  return ` No policy lets anybody read ${listed(closed)}: nothing of ${closed.length > 1 ? 'them' : 'it'} is seen through the view then. Add a policy for whom the view is meant in the same migration, or leave the view as it is and let it ask itself, in its WHERE, what the caller may reach.`
}
