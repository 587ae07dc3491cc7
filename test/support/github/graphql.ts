import { readFileSync } from 'node:fs'
import { buildSchema, type GraphQLObjectType, graphql } from 'graphql'
import type { Repo } from './state.ts'

const schema = buildSchema(readFileSync(new URL('../../data/github-schema.graphql', import.meta.url), 'utf8'))
;(schema.getType('Commit') as GraphQLObjectType).isTypeOf = undefined

/** Executes a query against a cut of GitHub's own schema; a field or argument that GitHub does not have is an error here too. */
export function executeGraphql(query: string, variables: Record<string, unknown>, viewer: string, find: (owner: string, name: string) => Repo | undefined) {
  return graphql({
    schema,
    source: query,
    variableValues: variables,
    rootValue: {
      rateLimit: { cost: 1, limit: 5000, remaining: 4999, resetAt: '2030-01-01T00:00:00Z' },
      viewer: { login: viewer },
      repository: ({ owner, name }: { owner: string; name: string }) => {
        const repo = find(owner, name)
        if (!repo) throw new Error(`Could not resolve to a Repository with the name '${owner}/${name}'.`)
        // One process for all blobs that the query names, instead of several for each.
        const oids = [...query.matchAll(/oid: "([0-9a-f]{40})"/g)].map((m) => m[1] as string)
        return repositoryNode(repo, viewer, oids.length ? repo.git.blobs(oids) : new Map())
      },
    },
  })
}

function repositoryNode(repo: Repo, viewer: string, blobs: ReadonlyMap<string, Buffer>) {
  return {
    id: `R_${repo.id}`,
    databaseId: repo.id,
    isPrivate: repo.private,
    nameWithOwner: `${repo.owner}/${repo.name}`,
    object: ({ oid, expression }: { oid?: string; expression?: string }) =>
      oid && blobs.has(oid) ? blobNode(oid, blobs.get(oid) as Buffer) : objectNode(repo, oid ?? expression ?? ''),
    ref: ({ qualifiedName }: { qualifiedName: string }) => refNode(repo, qualifiedName),
    defaultBranchRef: () => refNode(repo, `refs/heads/${repo.defaultBranch}`),
    pullRequest: ({ number }: { number: number }) => {
      const pull = repo.pulls.find((p) => p.number === number)
      if (!pull) throw new Error(`Could not resolve to a PullRequest with the number of ${number}.`)
      return {
        number,
        headRefOid: pull.headSha,
        baseRefOid: pull.baseSha,
        comments: ({ first, last, after }: { first?: number; last?: number; after?: string }) => {
          const own = repo.comments.filter((c) => c.issue === number)
          return connection(
            own.map((c) => ({
              databaseId: c.id,
              fullDatabaseId: String(c.id),
              body: c.body,
              viewerDidAuthor: c.login === viewer,
              author: { __typename: c.bot ? 'Bot' : 'User', login: c.login.replace(/\[bot\]$/, '') },
            })),
            { first, last, after },
          )
        },
      }
    },
  }
}

function refNode(repo: Repo, name: string) {
  const full = name.startsWith('refs/') ? name : `refs/heads/${name}`
  const sha = repo.git.resolve(full)
  return sha ? { name: full.replace('refs/heads/', ''), target: objectNode(repo, sha) } : null
}

function objectNode(repo: Repo, expression: string): unknown {
  const oid = repo.git.resolve(expression)
  const type = oid && repo.git.type(oid)
  if (!oid || !type) return null
  if (type === 'tree') return { __typename: 'Tree', oid }
  if (type === 'blob') return blobNode(oid, repo.git.blob(oid) as Buffer)
  return {
    __typename: 'Commit',
    oid,
    author: authorNode(repo, oid),
    authoredDate: '2026-01-01T00:00:00Z',
    file: ({ path }: { path: string }) => {
      const blob = repo.git.resolve(`${oid}:${path}`)
      return blob ? { oid: blob, path, mode: 0o100644, type: 'blob' } : null
    },
    history: ({ path, first, after }: { path?: string; first?: number; after?: string }) => {
      const shas = repo.git
        .git('log', '--format=%H', oid, ...(path ? ['--', path] : []))
        .split('\n')
        .filter(Boolean)
      return connection(
        shas.map((sha) => objectNode(repo, sha)),
        { first, after },
      )
    },
  }
}

function blobNode(oid: string, bytes: Buffer) {
  const isBinary = bytes.subarray(0, 8000).includes(0)
  // Like GitHub: no text for binary files, a cut one for long files, and replacement characters for invalid UTF-8.
  return {
    __typename: 'Blob',
    oid,
    byteSize: bytes.length,
    isBinary,
    isTruncated: bytes.length > 512_000,
    text: isBinary ? null : bytes.subarray(0, 512_000).toString('utf8'),
  }
}

function authorNode(repo: Repo, oid: string) {
  const [name = '', email = ''] = repo.git.git('log', '-1', '--format=%an%x00%ae', oid).split('\0')
  return { name, email }
}

function connection(all: readonly unknown[], { first, last, after }: { first?: number | undefined; last?: number | undefined; after?: string | undefined }) {
  if ((first ?? 0) > 100 || (last ?? 0) > 100 || (first === undefined && last === undefined))
    throw new Error('You must provide a `first` or `last` value between 1 and 100 to properly paginate the connection.')
  const start = after ? Number(after) : last !== undefined ? Math.max(0, all.length - last) : 0
  const end = first !== undefined ? Math.min(all.length, start + first) : all.length
  return { nodes: all.slice(start, end), totalCount: all.length, pageInfo: { endCursor: String(end), hasNextPage: end < all.length } }
}
