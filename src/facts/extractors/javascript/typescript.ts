import { createRequire } from 'node:module'
import type { ts } from 'ts-morph'

export type TypeScript = typeof ts

let loaded: TypeScript | undefined

/** The TypeScript compiler that ts-morph carries; loaded at first use, since loading takes a third of a second. */
export function typescript(): TypeScript {
  loaded ??= (createRequire(import.meta.url)('ts-morph') as { ts: TypeScript }).ts
  return loaded
}
