/** A file under a routes folder: what stands before the folder, and its path inside without the extension. */
export interface RouteFile {
  readonly root: string
  readonly inside: string
  readonly extension: string
}

/** Splits `web/src/app/x/route.ts` at one of the folders (`src/app`, `app`), the innermost workspace folder first. */
export function routeFile(path: string, workspaceDir: string, folders: readonly string[]): RouteFile | undefined {
  const local = workspaceDir === '' ? path : path.startsWith(`${workspaceDir}/`) ? path.slice(workspaceDir.length + 1) : undefined
  if (local === undefined) return undefined
  for (const folder of folders) {
    if (!local.startsWith(`${folder}/`)) continue
    const rest = local.slice(folder.length + 1)
    const dot = /\.[cm]?[jt]sx?$|\.(?:vue|svelte|astro)$/.exec(rest)
    if (!dot) return undefined
    return { root: workspaceDir === '' ? folder : `${workspaceDir}/${folder}`, inside: rest.slice(0, dot.index), extension: dot[0].slice(1) }
  }
  return undefined
}

/** Next.js App Router and SvelteKit segments as a route: groups and slots vanish, `[[x]]` and `[x=m]` are `[x]`. */
export function segmentsToRoute(segments: readonly string[]): string {
  const out: string[] = []
  for (const s of segments) {
    if (/^\(.*\)$/.test(s) || s.startsWith('@')) continue
    out.push(withoutExtras(s))
  }
  return out.length ? `/${out.join('/')}` : '/'
}

const withoutExtras = (segment: string): string =>
  segment.includes('[') ? segment.replace(/\[\[(\.\.\.)?([^[\]=]+)(?:=[^[\]]*)?\]\]/g, '[$1$2]').replace(/\[(\.\.\.)?([^[\]=]+)=[^[\]]*\]/g, '[$1$2]') : segment

/** Plain folders with an index (Pages Router, Astro, Nitro): `a/index` is `/a`. */
export function fileToRoute(inside: string): string {
  const segments = inside.split('/')
  if (segments.at(-1) === 'index') segments.pop()
  return segmentsToRoute(segments.filter((s) => s !== ''))
}

/** Folders from the routes root down to the file's own, root first (`''`, `a`, `a/b`). */
export function foldersAbove(inside: string): readonly string[] {
  const parts = inside.split('/').slice(0, -1)
  return ['', ...parts.map((_, i) => parts.slice(0, i + 1).join('/'))]
}
