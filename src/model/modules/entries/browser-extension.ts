import { folderPrefix } from '../../../lib/folder-prefix.ts'
import { dirname, join } from '../paths.ts'
import { type Application, type EntryFile, type EntryRules, matching } from './entry-rules.ts'

const MANIFEST_ENTRY_KEYS = [
  'background',
  'content_scripts',
  'action',
  'browser_action',
  'page_action',
  'options_ui',
  'options_page',
  'side_panel',
  'devtools_page',
  'chrome_url_overrides',
  'sandbox',
]

/** Browser extensions: scripts that the manifest names, and the conventions of Plasmo and WXT. */
export const browserExtension: EntryRules = {
  name: 'browser extension',
  applies: () => true,
  entries: (app) => [
    ...manifestScripts(app),
    ...(app.uses('plasmo')
      ? matching(
          app,
          /^(src\/)?((popup|options|newtab|sidepanel|devtools|background|content)(\/index)?|contents\/[^/]+|tabs\/[^/]+|background\/(messages|ports)\/[^/]+)\.[jt]sx?$/,
          'client',
          'part of the browser extension',
        )
      : []),
    ...(app.uses('wxt') ? matching(app, /^(src\/)?entrypoints\/.*\.[jt]sx?$/, 'client', 'part of the browser extension') : []),
  ],
}

function manifestScripts(app: Application): EntryFile[] {
  const found: EntryFile[] = []
  for (const [path, { data }] of app.facts.of('config-file')) {
    if (!/(^|\/)manifest(\.[\w-]+)?\.json$/.test(path) || !path.startsWith(folderPrefix(app.dir))) continue
    const manifest = data as Record<string, unknown> | null | undefined
    if (typeof manifest !== 'object' || manifest === null || typeof manifest.manifest_version !== 'number') continue
    const here = dirname(path)
    for (const name of MANIFEST_ENTRY_KEYS.flatMap((p) => strings(manifest[p]))) {
      if (!/\.[cm]?[jt]sx?$/.test(name)) continue
      for (const base of [here, app.dir, join(app.dir, 'src')]) {
        const target = base === undefined ? undefined : join(base, name.replace(/^\//, ''))
        const file =
          target === undefined
            ? undefined
            : app.files.find((f) => f.path === target || f.path === target.replace(/\.js$/, '.ts') || f.path === target.replace(/\.js$/, '.tsx'))
        if (!file) continue
        found.push({ path: file.path, side: 'client', because: `script of the browser extension (${path})` })
        break
      }
    }
  }
  return found
}

function strings(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value]
  if (depth > 4 || value === null || typeof value !== 'object') return []
  return Object.values(value).flatMap((v) => strings(v, depth + 1))
}
