import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { bundledLibraries } from '../sandbox/extension-files.ts'

const ENGINE = '@electric-sql/pglite'

/**
 * Tells whether a digest is of a module of the installed packages: the engine, the parser, the libraries that the engine brings along, those of our
 * extensions. Computed from the packages' files, in this order and as far as needed: most engines start with the first two.
 */
export function knownModules(): (digest: string) => boolean {
  const known = new Set<string>()
  const sources = [mainModules, engineLibraries, bundledLibraries]
  return (digest) => {
    while (!known.has(digest)) {
      const next = sources.shift()
      if (!next) return false
      for (const bytes of next()) known.add(createHash('sha256').update(bytes).digest('hex'))
    }
    return true
  }
}

const fileOf = (name: string): Buffer => readFileSync(new URL(`./${name}`, import.meta.resolve(ENGINE)))

function mainModules(): Uint8Array[] {
  return [fileOf('pglite.wasm'), fileOf('initdb.wasm'), readFileSync(new URL('./libpg-query.wasm', import.meta.resolve('libpg-query')))]
}

/** What the engine's loader says about its package of files: which part of it is which library. */
const LIBRARY = /filename:"\/pglite\/lib\/postgresql\/(\w{1,60})\.so",start:(\d{1,9}),end:(\d{1,9})/g

/** Connects to other servers; nothing in a replay needs it. */
const UNWANTED = 'libpqwalreceiver'

function engineLibraries(): Uint8Array[] {
  const data = fileOf('pglite.data')
  const listed = [...fileOf('pglite.js').toString('utf8').matchAll(LIBRARY)]
  return listed.filter(([, name]) => name !== UNWANTED).map(([, , start, end]) => data.subarray(Number(start), Number(end)))
}
