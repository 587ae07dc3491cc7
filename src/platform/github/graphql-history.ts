import { isMachineAuthor } from '../../source/authors.ts'
import type { HistoricFile, History } from '../../source/source.ts'
import type { GitHubApi } from './client.ts'
import type { RepositoryRef } from './repository-ref.ts'

/** Env file names that are asked for; without git only paths that one can guess can be asked for. */
const ENV_FILE_NAMES = [
  '.env',
  '.env.local',
  '.env.dev',
  '.env.development',
  '.env.development.local',
  '.env.prod',
  '.env.production',
  '.env.production.local',
  '.env.staging',
  '.env.preview',
  '.env.test',
  '.env.backup',
  '.env.example',
  '.dev.vars',
]
/** Folders asked for: the top and those with an application. */
const MAX_FOLDERS = 20
const MAX_VERSIONS = 30

interface HistoryNode {
  readonly totalCount: number
  readonly nodes: readonly {
    readonly oid: string
    readonly author: { readonly email: string | null } | null
    readonly file?: { readonly oid: string; readonly mode: number } | null
  }[]
}

/** What GraphQL shows of the history without git: usual env file names in likely folders, newest versions. Always declared incomplete. */
export async function graphqlHistory(
  api: GitHubApi,
  ref: RepositoryRef,
  commit: string,
  folders: readonly string[],
  wanted: (path: string) => boolean,
): Promise<History> {
  const asked = ['', ...folders.filter(Boolean)].slice(0, MAX_FOLDERS)
  const paths = asked.flatMap((folder) => ENV_FILE_NAMES.map((name) => (folder ? `${folder}/${name}` : name))).filter(wanted)
  const fields = paths.map(
    (path, i) =>
      `p${i}: history(first: ${MAX_VERSIONS}, path: ${JSON.stringify(path)}) { totalCount nodes { oid author { email } file(path: ${JSON.stringify(path)}) { oid mode } } }`,
  )
  const query = `query History($owner: String!, $name: String!, $commit: GitObjectID!) { repository(owner: $owner, name: $name) { object(oid: $commit) { ... on Commit { all: history(first: 100) { totalCount nodes { oid author { email } } } ${fields.join('\n')} } } } }`
  const { repository } = await api.graphql<{ repository: { object: Record<string, HistoryNode> | null } }>(query, { owner: ref.owner, name: ref.name, commit })
  const found = repository.object
  const files = new Map<string, HistoricFile>()
  paths.forEach((path, i) => {
    for (const node of found?.[`p${i}`]?.nodes ?? []) {
      if (node.file && !files.has(`${path}\0${node.file.oid}`)) files.set(`${path}\0${node.file.oid}`, { path, sha: node.file.oid, commit: node.oid })
    }
  })
  const emails = (found?.['all']?.nodes ?? []).flatMap((n) => (n.author?.email && !isMachineAuthor(n.author.email) ? [n.author.email] : []))
  const counts = new Map<string, number>()
  for (const email of emails) counts.set(email, (counts.get(email) ?? 0) + 1)
  return {
    commits: found?.['all']?.totalCount ?? 0,
    complete: false,
    because: `the history was read through the API, which answers for named files only: ${ENV_FILE_NAMES.length} usual names of env files were asked for in ${asked.length === 1 ? 'the top folder' : `the top folder and ${asked.slice(1).join(', ')}`}`,
    files: [...files.values()].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.sha < b.sha ? -1 : 1)),
    authors: [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([email]) => email),
  }
}
