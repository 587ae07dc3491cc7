import { op, type Val } from '../domain/abstract-value.ts'
import type { Interpreter } from '../interpreter.ts'

type Row = Extract<Val, { v: 'row' }>

function isSnapshot(it: Interpreter, of: Row): boolean {
  const e = it.steps[of.step]?.effect
  return of.field === undefined && e?.kind === 'db' && e.client.library === 'firebase'
}

/** What Firestore's snapshots say of what was found: `snapshot.empty`, `snapshot.docs`, `document.exists`. */
export function snapshotMember(it: Interpreter, of: Row, name: string): Val | undefined {
  if (!/^(?:empty|exists|docs|size)$/.test(name) || !isSnapshot(it, of)) return undefined
  if (name === 'empty') return op('!', of)
  if (name === 'size') return op('length', of)
  return name === 'docs' ? { ...of, many: true } : of
}

/** `document.data()` gives what the document holds, `document.get('email')` a part of it, `document.exists()` whether it is there. */
export function snapshotCall(it: Interpreter, of: Row, name: string, field: string | undefined): Val | undefined {
  if (!/^(?:data|exists|get)$/.test(name) || !isSnapshot(it, of)) return undefined
  if (name !== 'get') return of
  return field === undefined ? undefined : { ...of, field }
}
