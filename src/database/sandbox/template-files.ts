import { MemoryFS } from '@electric-sql/pglite'
import { parseTar } from 'nanotar'
import { type FileSystem, PREFIX } from './extension-files.ts'

/** Where the engine looks for its data directory. */
const DATA_FOLDER = `${PREFIX}/data`

/**
 * Files in memory that hold a data directory from the beginning. The engine's own way to load one looks each folder of each path up several times and
 * copies what it writes: a quarter of the time that starting takes.
 */
export class TemplateFiles extends MemoryFS {
  readonly #template: Uint8Array<ArrayBuffer>

  /** A tar of a data directory. The engine writes into these bytes: they are nobody else's from here on. */
  constructor(template: Uint8Array<ArrayBuffer>) {
    super()
    this.#template = template
  }

  /** The engine is loaded and has not started: it takes up what it finds here. */
  override async initialSyncFs(): Promise<void> {
    const files = this.pg?.Module.FS as FileSystem
    const made = new Set<string>()
    const folder = (path: string) => {
      if (!made.has(path)) files.mkdirTree(path)
      made.add(path)
    }
    for (const { name, data, type } of parseTar(this.#template)) {
      const path = `${DATA_FOLDER}/${name.replace(/^\/+/, '').replace(/\/$/, '')}`
      if (type === 'directory') folder(path)
      else if (type === 'file') {
        folder(path.slice(0, path.lastIndexOf('/')))
        files.writeFile(path, data ?? new Uint8Array(), { canOwn: true })
      }
    }
  }
}
