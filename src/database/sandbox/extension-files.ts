import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { parseTar } from 'nanotar'
import { memo } from '../../lib/memo/memo.ts'

/** Where the engine looks for its own files. */
export const PREFIX = '/pglite'
const ENGINE = '@electric-sql/pglite'

const inEngine = (name: string): URL => new URL(`./${name}.tar.gz`, import.meta.resolve(ENGINE))

/** Bundles of the extensions that the engine really has; the rest are stand-ins. */
const BUNDLES: Readonly<Record<string, () => URL>> = {
  ...Object.fromEntries(
    [
      'btree_gin',
      'btree_gist',
      'citext',
      'cube',
      'earthdistance',
      'fuzzystrmatch',
      'hstore',
      'intarray',
      'ltree',
      'pg_trgm',
      'pgcrypto',
      'tablefunc',
      'unaccent',
      'uuid-ossp',
    ].map((name) => [name, () => inEngine(name)]),
  ),
  ...Object.fromEntries(['autoinc', 'insert_username', 'moddatetime', 'refint'].map((name) => [name, () => inEngine('spi')])),
  vector: () => new URL('./vector.tar.gz', import.meta.resolve('@electric-sql/pglite-pgvector')),
}

/** Where the engine looks for what an extension is made of. */
const FOLDER = `${PREFIX}/share/postgresql/extension`

/** The name after CREATE EXTENSION, wherever that stands; none that could lead out of the folder. */
const CREATED = /\bcreate\s{1,20}extension\s{1,20}(?:if\s{1,20}not\s{1,20}exists\s{1,20})?"?([a-z][\w-]{0,62})/g
const MAX_PROVIDED = 100

/** What CASCADE brings along. */
const NEEDS: Readonly<Record<string, string>> = { earthdistance: 'cube' }

/** Names for CREATE EXTENSION. */
export const REAL_EXTENSIONS: ReadonlySet<string> = new Set(Object.keys(BUNDLES))

/** What a bundle holds, unpacked once for all engines of a process: each of them writes a copy. */
const unpacked = memo((url: string): readonly { readonly path: string; readonly data: Uint8Array }[] =>
  // The reader takes the whole memory behind what it is given, of which a small bundle has only a part.
  parseTar(new Uint8Array(gunzipSync(readFileSync(new URL(url))))).flatMap(({ name, data, type }) =>
    type === 'file' && data ? [{ path: `${PREFIX}/${name}`, data }] : [],
  ),
)

/** Every library of the bundles, as it lies in the installed packages: WebAssembly side modules. */
export function bundledLibraries(): Uint8Array[] {
  const urls = new Set(Object.values(BUNDLES).map((bundle) => bundle().href))
  return [...urls].flatMap((url) => unpacked(url).flatMap(({ path, data }) => (path.endsWith('.so') ? [data] : [])))
}

/** The part of the engine's file system that is written to. */
export interface FileSystem {
  mkdirTree(path: string): void
  /** With `canOwn` the file is written into the very bytes that are given. */
  writeFile(path: string, data: Uint8Array, options?: { readonly canOwn?: boolean }): void
}

/**
 * Lays down the files of an extension where the engine finds them, its library included: the engine loads that when a function of it is called. Given
 * to the engine at its start, every library would be compiled and linked each time, a third of what starting takes.
 */
export class ExtensionFiles {
  readonly #fs: FileSystem
  readonly #there = new Set<string>()

  constructor(fs: FileSystem) {
    this.#fs = fs
  }

  /** Every extension that a text could create, by its name. */
  provideFor(sql: string): void {
    if (!/\bextension\b/i.test(sql)) return
    const text = sql.toLowerCase()
    for (const name of REAL_EXTENSIONS) if (text.includes(name)) this.provide(name)
    for (const [, name = ''] of text.matchAll(CREATED)) if (!REAL_EXTENSIONS.has(name)) this.provideEmpty(name)
  }

  /** An extension that the engine lacks, with nothing in it: blocks and functions that create it go on as they do on the platform. */
  private provideEmpty(name: string): void {
    if (this.#there.has(name) || this.#there.size >= MAX_PROVIDED) return
    this.#there.add(name)
    const write = (file: string, text: string) => this.#fs.writeFile(`${FOLDER}/${file}`, new TextEncoder().encode(text))
    this.#fs.mkdirTree(FOLDER)
    write(`${name}.control`, "default_version = '1.0'\nrelocatable = true\ntrusted = true\n")
    write(`${name}--1.0.sql`, '')
  }

  provide(name: string): void {
    const bundle = BUNDLES[name]
    if (!bundle || this.#there.has(name)) return
    this.#there.add(name)
    for (const { path, data } of unpacked(bundle().href)) {
      this.#fs.mkdirTree(path.slice(0, path.lastIndexOf('/')))
      this.#fs.writeFile(path, data)
    }
    const needed = NEEDS[name]
    if (needed) this.provide(needed)
  }
}
