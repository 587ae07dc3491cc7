import { accessSync, constants, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { UsageError } from './usage-error.ts'

/** The absolute path of a folder that can be read. Throws a `UsageError` that says what is wrong with it. */
export function requireFolder(dir: string): string {
  if (!dir) throw new UsageError('the folder is an empty text')
  const path = resolve(dir)
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) throw new UsageError(`there is no folder ${dir}`)
  if (!stat.isDirectory()) throw new UsageError(`${dir} is a file, not a folder`)
  if (!may(path, constants.R_OK | constants.X_OK)) throw new UsageError(`${dir} cannot be read by this user`)
  return path
}

/** Checks before the audit that a file can be written after it. Throws a `UsageError` otherwise. */
export function requireWritable(file: string): void {
  if (!file) throw new UsageError('--output needs a file name')
  const path = resolve(file)
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat?.isDirectory()) throw new UsageError(`--output ${file} is a folder`)
  if (stat) {
    if (!may(path, constants.W_OK)) throw new UsageError(`--output ${file} cannot be written by this user`)
    return
  }
  const folder = dirname(path)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new UsageError(`--output ${file}: there is no folder ${dirname(file)}`)
  if (!may(folder, constants.W_OK | constants.X_OK)) throw new UsageError(`--output ${file}: this user cannot write into ${dirname(file)}`)
}

function may(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}
