import type { ClassIR, FunctionId, ImportFact, JavaScriptFacts, Stmt } from '../../../facts/javascript.ts'
import { boundNames, eachStatement, statements } from '../../frameworks/walk.ts'

/**
 * Parts of a file by name: whoever follows code looks at some functions and declarations of a file, and a change elsewhere in it is none of his
 * business. A name of a part is `path`, NUL, the kind of part and which one it is; the value that an export or declaration has is noted under the
 * same name.
 */
const END = '\0'

export const functionPart = (path: string, id: number): string => `${path}${END}f${id}`
/** What a module declares under a name, or that it does not. */
export const declarationPart = (path: string, name: string): string => `${path}${END}n${name}`
/** The value of a name below the level of a module that is evaluated when first read: whoever meets its scope has noted what is written there. */
export const innerPart = (path: string, name: string): string => `${path}${END}i${name}`
/** The declaration of a name at the level of a module, however deep, or its import: without what is assigned to it. */
export const namePart = (path: string, name: string): string => `${path}${END}m${name}`
export const exportPart = (path: string, name: string): string => `${path}${END}e${name}`
/** From where a file exports everything. */
export const starsPart = (path: string): string => `${path}${END}s`
/** That there is such a file. */
export const existencePart = (path: string): string => `${path}${END}x`
/** Whether a file exports anything by name. */
export const namesPart = (path: string): string => `${path}${END}d`
/** The class of the module that a function is a method of. */
export const ownerPart = (path: string, id: number): string => `${path}${END}c${id}`
/** What a specifier means in a file: no part of its text. */
export const specifierPart = (path: string, specifier: string): string => `${path}${END}r${specifier}`

/** The specifier that a part stands for; undefined for all other parts. */
export function specifierOf(part: string): string | undefined {
  const end = part.indexOf(END, 1)
  return end >= 0 && part[end + 1] === 'r' ? part.slice(end + 2) : undefined
}

/** The file of a part; the name itself for a whole file. */
export function fileOf(part: string): string {
  const end = part.indexOf(END, 1)
  return end < 0 ? part : part.slice(0, end)
}

/** What a part is in these facts. Two answers that are equal are the same to whoever looked at it; undefined for what is not known by its text. */
export function partContent(part: string, facts: JavaScriptFacts | undefined): unknown {
  const end = part.indexOf(END, 1)
  const which = part.slice(end + 2)
  switch (part[end + 1]) {
    case 'f':
      return facts?.functions[Number(which)]
    case 'n':
      return facts && declarationsOf(facts, which)
    case 'm':
      return facts && declarationOf(facts, which)
    case 'c':
      return facts && classOwning(facts, Number(which))
    case 'e':
      return exportOf(facts, which)
    case 's':
      return starsOf(facts)
    case 'd':
      return exportsNames(facts)
    case 'x':
      return facts !== undefined
    default:
      return undefined
  }
}

/** The name of the class at the level of a module that a function is a method of. */
export function classOwning(facts: JavaScriptFacts, id: FunctionId): string | undefined {
  const owns = (c: ClassIR) => c.members.some((m) => m.fn === id && !m.static && m.how === 'method')
  for (const s of facts.functions[0]?.body ?? []) if (s.k === 'class' && s.name !== undefined && owns(s.class)) return s.name
  return undefined
}

export const exportOf = (facts: JavaScriptFacts | undefined, name: string): JavaScriptFacts['exports'][number] | undefined =>
  facts?.exports.find((e) => e.name === name)

export const starsOf = (facts: JavaScriptFacts | undefined): JavaScriptFacts['exports'] => facts?.exports.filter((e) => e.name === '*') ?? []

export const exportsNames = (facts: JavaScriptFacts | undefined): boolean => facts?.exports.some((e) => e.name !== 'default') ?? false

/** Everything at the level of a module that has a say in what a name is: declarations, imports, assignments to it and to its members. */
function declarationsOf(facts: JavaScriptFacts, name: string): readonly (Stmt | ImportFact)[] {
  const found: (Stmt | ImportFact)[] = []
  eachStatement(facts.functions[0]?.body ?? [], NESTED, (s) => {
    if (declares(s, name) || assigns(s, name)) found.push(s)
  })
  for (const i of facts.imports) if (i.bindings.some((b) => b.local === name)) found.push(i)
  return found
}

function declarationOf(facts: JavaScriptFacts, name: string): readonly (Stmt | ImportFact)[] {
  const declared = statements(facts.functions[0]?.body ?? []).filter((s) => declares(s, name))
  return [...declared, ...facts.imports.filter((i) => i.bindings.some((b) => b.local === name))]
}

/** At least as deep as names of modules are declared and assigned (`declareLazily`, `assigned`). */
const NESTED = 6

function declares(s: Stmt, name: string): boolean {
  if (s.k === 'function' || s.k === 'class') return s.name === name
  return s.k === 'let' && boundNames(s.to).includes(name)
}

function assigns(s: Stmt, name: string): boolean {
  if (s.k !== 'expr' || s.expr.k !== 'assign') return false
  const { to } = s.expr
  if (to.k === 'name') return to.name === name
  return to.k === 'expr' && to.expr.k === 'mem' && to.expr.of.k === 'id' && to.expr.of.name === name
}
