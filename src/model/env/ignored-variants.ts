import ignore, { type Ignore } from 'ignore'
import type { GitignoreFacts } from '../../facts/kinds.ts'
import type { IgnoreGap } from './env.ts'

/** What frameworks load or people make beside `.env`; a rule that covers these covers any other. */
const VARIANTS = ['.env', '.env.local', '.env.development', '.env.production', '.env.staging', '.env.development.local', '.env.production.local']

const SPEAKS_OF_ENV = /(^|[/*])(\.?env|\.dev\.vars)|\*\.local/i

/** Applies git's ignore rules, nested files included: which env files could be committed, one entry per ignore file that lets them. */
export function ignoreGaps(files: ReadonlyMap<string, GitignoreFacts>, folders: readonly string[]): IgnoreGap[] {
  const rules = new Map([...files].map(([path, facts]) => [folderOf(path), { path, rules: ignore().add([...facts.lines]), lines: facts.lines }]))
  const lets = new Map<string, string[]>()
  const rootOpen = VARIANTS.filter((v) => !isIgnored(v, rules))
  // Where the applications lie in folders with ignore files of their own, the root is no place for env files.
  // A folder beside them without one, such as the types that they share, has no environment.
  const own = folders.filter((f) => speaking(f, rules) !== '')
  const keptBelow = own.length > 0 && !folders.includes('') && own.length * 2 >= folders.length
  for (const folder of [...new Set(keptBelow ? own : ['', ...folders])].sort()) {
    // what the root lets in is the root's cause, wherever it is let in
    const open = VARIANTS.filter((v) => !isIgnored(join(folder, v), rules) && (folder === '' || keptBelow || !rootOpen.includes(v)))
    if (!open.length) continue
    const owner = unignoring(folder, open[0] as string, rules) || (keptBelow ? speaking(folder, rules) : '')
    lets.set(owner, [...(lets.get(owner) ?? []), ...open.map((v) => join(folder, v))])
  }
  return [...lets].map(([folder, variants]) => {
    const file = rules.get(folder)
    const spoken = lastSpeaking(file?.lines ?? [])
    return {
      path: file?.path ?? join(folder, '.gitignore'),
      line: spoken?.line ?? 1,
      ...(spoken ? { pattern: spoken.pattern } : {}),
      lets: variants,
      exists: file !== undefined,
    }
  })
}

/** git's own order: a file below an ignored folder stays ignored; otherwise the innermost file with an opinion decides. */
function isIgnored(path: string, rules: ReadonlyMap<string, { readonly rules: Ignore }>): boolean {
  const segments = path.split('/')
  for (let depth = 1; depth <= segments.length; depth++) {
    const target = segments.slice(0, depth).join('/') + (depth < segments.length ? '/' : '')
    let verdict = false
    for (let i = 0; i < depth; i++) {
      const folder = segments.slice(0, i).join('/')
      const found = rules.get(folder)?.rules.test(folder ? target.slice(folder.length + 1) : target)
      if (found?.ignored) verdict = true
      else if (found?.unignored) verdict = false
    }
    if (verdict) return true
  }
  return false
}

/** The innermost folder whose ignore file takes the protection back; the root when none does. */
function unignoring(folder: string, variant: string, rules: ReadonlyMap<string, { readonly rules: Ignore }>): string {
  const path = join(folder, variant)
  for (let at = folder; at; at = folderOf(at)) if (rules.get(at)?.rules.test(path.slice(at.length + 1)).unignored) return at
  return ''
}

/** The innermost folder whose ignore file names env files; the root when none does. */
function speaking(folder: string, rules: ReadonlyMap<string, { readonly lines: readonly string[] }>): string {
  for (let at = folder; at; at = folderOf(at)) if (lastSpeaking(rules.get(at)?.lines ?? [])) return at
  return ''
}

/** The last pattern that speaks of env files; one for another folder (`packages/api/.env`) only when there is no other. */
function lastSpeaking(lines: readonly string[]): { line: number; pattern: string } | undefined {
  const speaking = lines.flatMap((l, i) => {
    const pattern = l.trim()
    return pattern && !pattern.startsWith('#') && !pattern.startsWith('!') && SPEAKS_OF_ENV.test(pattern) ? [{ line: i + 1, pattern }] : []
  })
  return speaking.findLast(({ pattern }) => !/[^/]\/[^/]/.test(pattern.replace(/^(?:\*\*)?\//, ''))) ?? speaking.at(-1)
}

function folderOf(path: string): string {
  const slash = path.lastIndexOf('/')
  return slash === -1 ? '' : path.slice(0, slash)
}

function join(folder: string, name: string): string {
  return folder ? `${folder}/${name}` : name
}
