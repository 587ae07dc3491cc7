/** The folder of a path, '' for the root. */
export function dirname(path: string): string {
  const i = path.lastIndexOf('/')
  return i === -1 ? '' : path.slice(0, i)
}

/** Joins and normalises; undefined when it leaves the repository. */
export function join(base: string, relative: string): string | undefined {
  const parts = base === '' ? [] : base.split('/')
  for (const part of relative.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..') {
      if (parts.length === 0) return undefined
      parts.pop()
    } else parts.push(part)
  }
  return parts.join('/')
}

/** A folder and every folder above it, innermost first, the root last. */
export function ancestors(dir: string): string[] {
  const found = [dir]
  for (let d = dir; d !== ''; ) {
    d = dirname(d)
    found.push(d)
  }
  return found
}

/** The path as seen from a folder that holds it. */
export function within(dir: string, path: string): string {
  return dir === '' ? path : path.slice(dir.length + 1)
}
