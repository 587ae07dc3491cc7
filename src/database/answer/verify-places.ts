import type { Grounds } from './grounds.ts'

/** The first place that is not one of the files that were sent; undefined when all are. */
export function wrongPlace({ sent, told }: Grounds): string | undefined {
  const lines = new Map<string, number>()
  for (const { path, text, lines: of } of sent.input.files) {
    const last = of ? of.reduce((most, line) => Math.max(most, line), 1) : newlines(text) + 1
    lines.set(path, Math.max(last, lines.get(path) ?? 0))
  }
  const stack: unknown[] = [told.catalog, told.access, told.gaps]
  for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
    if (typeof value !== 'object' || value === null) continue
    const { path, line, endLine = line } = value as { path?: unknown; line?: unknown; endLine?: unknown }
    if (typeof path === 'string' && path !== '') {
      const last = lines.get(path)
      if (last === undefined) return `it names a place in ${path.slice(0, 200)}, which was not sent`
      if ((typeof line === 'number' && (line < 1 || line > last)) || (typeof endLine === 'number' && (endLine > last || endLine < Number(line))))
        return `it names line ${String(line)} of ${path}, which has ${last}`
    }
    for (const child of Object.values(value)) if (typeof child === 'object') stack.push(child)
  }
  return undefined
}

function newlines(text: string): number {
  let count = 0
  for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) count++
  return count
}
