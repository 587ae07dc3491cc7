import type { Table } from './database.ts'

/** The tables that code means by a name, in lower case or not: those that are called so, else those whose model an ORM's client calls so. */
export function tablesCalled(name: string, tables: readonly Table[]): readonly Table[] {
  const called = name.toLowerCase()
  const named = tables.filter((t) => t.name.toLowerCase() === called)
  return named.length ? named : tables.filter((t) => t.calledInCode === called)
}
