import type { GitHubApi } from './client.ts'
import type { RepositoryRef } from './repository-ref.ts'

/** What one request tells before an audit. */
export interface Context {
  readonly private: boolean
  /** Text of the configuration file; undefined when there is none. */
  readonly configText?: string
  /** Commit that the configuration was read from. */
  readonly configCommit?: string
  /** Head of the pull request as GitHub has it now. */
  readonly headSha?: string
  readonly baseSha?: string
  /** Our own summary comments, oldest first. */
  readonly ownComments: readonly number[]
}

interface Answer {
  readonly repository: {
    readonly isPrivate: boolean
    readonly base: { readonly oid: string } | null
    readonly config: { readonly text: string | null } | null
    readonly pullRequest?: {
      readonly headRefOid: string
      readonly baseRefOid: string
      readonly comments: {
        readonly nodes: readonly { readonly fullDatabaseId: string; readonly body: string; readonly viewerDidAuthor: boolean }[]
        readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
      }
    }
  }
}

const QUERY = `query Context($owner: String!, $name: String!, $base: String!, $config: String!, $number: Int!, $withPull: Boolean!, $after: String) {
  repository(owner: $owner, name: $name) {
    isPrivate
    base: object(expression: $base) { oid }
    config: object(expression: $config) { ... on Blob { text } }
    pullRequest(number: $number) @include(if: $withPull) {
      headRefOid
      baseRefOid
      comments(first: 100, after: $after) { nodes { fullDatabaseId body viewerDidAuthor } pageInfo { hasNextPage endCursor } }
    }
  }
}`

/** Pages of 100 comments that are searched for our own. */
const MAX_PAGES = 10

/** Configuration of the base branch's tip, state of the pull request and our own comments, in one GraphQL request. */
export async function readContext(
  api: GitHubApi,
  ref: RepositoryRef,
  options: { configRef: string; configPath: string; number?: number; marker: string },
): Promise<Context> {
  const base = /^[0-9a-f]{40}$/.test(options.configRef) ? options.configRef : `refs/heads/${options.configRef}`
  const own: number[] = []
  let first: Answer | undefined
  let after: string | null = null
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer: Answer = await api.graphql<Answer>(QUERY, {
      owner: ref.owner,
      name: ref.name,
      base,
      config: `${base}:${options.configPath}`,
      number: options.number ?? 0,
      withPull: options.number !== undefined,
      after,
    })
    first ??= answer
    const comments = answer.repository.pullRequest?.comments
    for (const c of comments?.nodes ?? []) if (c.viewerDidAuthor && c.body.startsWith(options.marker)) own.push(Number(c.fullDatabaseId))
    if (!comments?.pageInfo.hasNextPage || own.length) break
    after = comments.pageInfo.endCursor
  }
  const { repository } = first as Answer
  return {
    private: repository.isPrivate,
    ...(typeof repository.config?.text === 'string' ? { configText: repository.config.text } : {}),
    ...(repository.base ? { configCommit: repository.base.oid } : {}),
    ...(repository.pullRequest ? { headSha: repository.pullRequest.headRefOid, baseSha: repository.pullRequest.baseRefOid } : {}),
    ownComments: own,
  }
}
