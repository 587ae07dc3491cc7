import type { AccessCell, AccessObject } from '../database/database.ts'

/** Whose eyes a column of the matrix shows. */
export interface Viewer {
  readonly title: string
  readonly role: AccessCell['role']
  readonly rows: readonly AccessCell['row'][]
}

/** A stranger, another user, a plain member of the row's tenant, and the owner, in the order in which they are shown. */
export const VIEWERS = [
  { title: 'A stranger', role: 'anon', rows: ['own', 'other', 'forged', 'tenant'] },
  { title: 'Another signed-in user', role: 'A', rows: ['other', 'forged'] },
  { title: 'A member of the same team', role: 'A', rows: ['tenant'] },
  { title: 'The owner', role: 'A', rows: ['own'] },
] as const satisfies readonly Viewer[]

/** What people do with rows, in the words of the report. */
export const COMMAND_VERBS = { select: 'read', insert: 'add', update: 'change', delete: 'remove' } as const

export type RowCommand = keyof typeof COMMAND_VERBS
export const ROW_COMMANDS = Object.keys(COMMAND_VERBS) as readonly RowCommand[]

/** The worst of the trials that a viewer's cell stands for; undefined when nothing was tried. */
export function trialOf(object: AccessObject, viewer: Viewer, command: AccessCell['command']): AccessCell | undefined {
  const tried = object.cells.filter((c) => c.role === viewer.role && c.command === command && c.column === undefined && viewer.rows.includes(c.row))
  return tried.find((c) => c.result === 'allowed') ?? tried.find((c) => c.result === 'error') ?? tried[0]
}

/** `read, change`; what could not be tried has a question mark. Empty when nothing is allowed. */
export function allowedVerbs(object: AccessObject, viewer: Viewer): string {
  return ROW_COMMANDS.flatMap((command) => {
    const trial = trialOf(object, viewer, command)
    return trial?.result === 'allowed' ? [COMMAND_VERBS[command]] : trial?.result === 'error' ? [`${COMMAND_VERBS[command]}?`] : []
  }).join(', ')
}

/** Tables, views and buckets: what has rows or files. */
export function rowObjects(objects: readonly AccessObject[]): readonly AccessObject[] {
  return objects.filter((o) => o.kind !== 'function' && o.cells.length > 0)
}

/** Functions that a browser may call. */
export function callableFunctions(objects: readonly AccessObject[]): readonly AccessObject[] {
  return objects.filter((o) => o.kind === 'function' && o.cells.length > 0)
}

/** The viewers of whom something was tried: without tenants there is no member. */
export function shownViewers(objects: readonly AccessObject[]): readonly Viewer[] {
  return VIEWERS.filter((v) => v.rows[0] !== 'tenant' || objects.some((o) => o.cells.some((c) => c.row === 'tenant')))
}

/** What a call with somebody else's id came to, in a few words. */
export function callWords(trial: AccessCell | undefined): string {
  if (!trial) return 'not tried'
  if (trial.result === 'refused') return 'refused'
  if (trial.result === 'error') return 'unclear'
  return trial.because ? `yes: ${trial.because}` : 'yes'
}
