import { isServedPath } from '../../lexicon/served-paths.ts'
import { comparePlaces } from '../../lib/place.ts'
import type { ModelBase } from '../app-model.ts'
import { isScript } from '../files/script.ts'
import { packageOf } from '../frameworks/program.ts'
import type { ModelInput } from '../model-input.ts'
import { SERVER_PACKAGES } from '../modules/entries/server.ts'
import type { RoutesModel } from '../routes/routes.ts'
import type { CoverageModel, Unseen } from './coverage-model.ts'
import { importedByEndpoints } from './reach.ts'

type Slices = ModelBase & { readonly routes: RoutesModel }

/** The coverage slice: what answers requests and was not judged. */
export function buildCoverage(input: ModelInput, slices: Slices): CoverageModel {
  const unseen = [...registrations(slices), ...lostHandlers(slices), ...silentServers(input, slices), ...bundledFiles(input, slices)]
  return { unseen: unseen.sort(comparePlaces) }
}

/** Calls that register something which is no route that could be read. */
const registrations = ({ routes, files }: Slices): readonly Unseen[] =>
  routes.unfollowed
    .filter((u) => files.role(u.path) === 'source')
    .map((u) => ({ subject: `file ${u.path}`, path: u.path, line: u.line, because: `registers ${u.because}`, reach: 'endpoints' }))

/** Routes whose handler is not in the repository, or where nobody reads it. */
const lostHandlers = ({ routes, files }: Slices): readonly Unseen[] =>
  routes.routes.flatMap((r): Unseen[] =>
    r.lost && files.role(r.path) === 'source'
      ? [{ subject: r.subject, path: r.path, line: r.line, because: r.lost, reach: r.kind === 'page' ? 'pages' : 'endpoints' }]
      : [],
  )

/** Files that start a server in a workspace where not one handler was found. */
function silentServers({ facts }: ModelInput, slices: Slices): readonly Unseen[] {
  const { routes, files, workspaces } = slices
  const heard = new Set([...routes.routes.filter((r) => r.kind !== 'page'), ...routes.unfollowed].map((r) => workspaces.of(r.path).dir))
  return [...facts.of('javascript')].flatMap(([path, js]): Unseen[] => {
    if (files.role(path) !== 'source' || heard.has(workspaces.of(path).dir) || isScript(path, slices)) return []
    const found = js.imports.find((i) => !i.typeOnly && SERVES_ALONE.has(packageOf(i.from) ?? ''))
    const name = found && packageOf(found.from)
    return found ? [{ subject: `file ${path}`, path, line: found.l, because: `uses ${name}, and no handler could be found`, reach: 'endpoints' }] : []
  })
}

/** Packages that answer requests where a file imports them; the others of the list come along with frameworks that have files for routes. */
const SERVES_ALONE: ReadonlySet<string> = new Set(SERVER_PACKAGES.filter((p) => !/^(?:h3|nitro|nitropack|socket\.io|@trpc\/server)$/.test(p)))

/** Minified or bundled files that a server runs: a route, or part of one. */
function bundledFiles({ facts }: ModelInput, slices: Slices): readonly Unseen[] {
  return [...facts.of('javascript')].flatMap(([path, js]): Unseen[] =>
    js.bundled && slices.files.role(path) === 'source' && (isServedPath(path) || importedByEndpoints(path, slices))
      ? [{ subject: `file ${path}`, path, line: 1, because: 'has the long lines of a bundled or minified file and was not read', reach: 'endpoints' }]
      : [],
  )
}
