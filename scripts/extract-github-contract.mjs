/**
 * Cuts what the App uses out of GitHub's own API descriptions, for the local server of the tests:
 *   npm install --prefix /tmp/contract @octokit/openapi @octokit/graphql-schema graphql
 *   node scripts/extract-github-contract.mjs /tmp/contract
 * The packages are 390 MB, which is why their subset is committed (test/data/github-*.{json,graphql}) and they are not dependencies.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const root = process.argv[2]
if (!root) throw new Error('usage: node scripts/extract-github-contract.mjs FOLDER_WITH_NODE_MODULES')
const modules = join(root, 'node_modules')

/** Every REST endpoint that `src/platform/github` calls. test/app/permissions.test.ts maps each to its permission. */
const ENDPOINTS = [
  'GET /app',
  'GET /app/hook/deliveries',
  'GET /app/hook/deliveries/{delivery_id}',
  'POST /app/hook/deliveries/{delivery_id}/attempts',
  'GET /app/installations',
  'POST /app/installations/{installation_id}/access_tokens',
  'GET /advisories',
  'GET /installation/repositories',
  'GET /repos/{owner}/{repo}',
  'GET /repos/{owner}/{repo}/branches/{branch}',
  'GET /repos/{owner}/{repo}/check-runs/{check_run_id}',
  'GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations',
  'POST /repos/{owner}/{repo}/check-runs',
  'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}',
  'GET /repos/{owner}/{repo}/collaborators/{username}/permission',
  'GET /repos/{owner}/{repo}/commits/{ref}',
  'GET /repos/{owner}/{repo}/commits/{ref}/check-runs',
  'GET /repos/{owner}/{repo}/compare/{basehead}',
  'GET /repos/{owner}/{repo}/git/blobs/{file_sha}',
  'GET /repos/{owner}/{repo}/git/trees/{tree_sha}',
  'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
  'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
  'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}',
  'GET /repos/{owner}/{repo}/pulls',
  'GET /repos/{owner}/{repo}/pulls/{pull_number}',
  'GET /repos/{owner}/{repo}/pulls/{pull_number}/comments',
  'GET /repos/{owner}/{repo}/pulls/{pull_number}/files',
  'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews',
  'GET /repos/{owner}/{repo}/rules/branches/{branch}',
  'GET /repos/{owner}/{repo}/tarball/{ref}',
]

/** Fields that the App's GraphQL queries may name, by type; everything else is left out of the schema. */
const GRAPHQL = {
  Query: ['repository', 'rateLimit', 'viewer'],
  RateLimit: ['cost', 'limit', 'remaining', 'resetAt'],
  Repository: ['id', 'databaseId', 'isPrivate', 'nameWithOwner', 'object', 'ref', 'defaultBranchRef', 'pullRequest'],
  Ref: ['name', 'target'],
  GitObject: ['oid'],
  Blob: ['oid', 'byteSize', 'isBinary', 'isTruncated', 'text'],
  Tree: ['oid'],
  Tag: ['oid'],
  Commit: ['oid', 'history', 'author', 'file', 'authoredDate'],
  TreeEntry: ['oid', 'path', 'mode', 'type'],
  CommitHistoryConnection: ['nodes', 'pageInfo', 'totalCount'],
  PageInfo: ['endCursor', 'hasNextPage'],
  GitActor: ['email', 'name'],
  PullRequest: ['number', 'headRefOid', 'baseRefOid', 'comments'],
  IssueCommentConnection: ['nodes', 'pageInfo', 'totalCount'],
  IssueComment: ['databaseId', 'fullDatabaseId', 'body', 'viewerDidAuthor', 'author'],
  Actor: ['login'],
  User: ['login'],
  Bot: ['login'],
}

extractOpenApi()
await extractGraphql()

function extractOpenApi() {
  const document = JSON.parse(readFileSync(join(modules, '@octokit/openapi/generated/api.github.com.json'), 'utf8'))
  const operations = {}
  for (const endpoint of ENDPOINTS) {
    const [method, path] = endpoint.split(' ')
    const operation = document.paths[path]?.[method.toLowerCase()]
    if (!operation) throw new Error(`not in the description: ${endpoint}`)
    operations[endpoint] = {
      parameters: (operation.parameters ?? [])
        .map((p) => deref(document, p))
        .map(({ name, in: where, required, schema }) => ({ name, in: where, required: !!required, schema: withoutProse(schema) })),
      requestBody: withoutProse(operation.requestBody?.content?.['application/json']?.schema),
      responses: Object.fromEntries(
        Object.entries(operation.responses ?? {})
          .filter(([status]) => status.startsWith('2'))
          .map(([status, response]) => [status, withoutProse(deref(document, response).content?.['application/json']?.schema)]),
      ),
    }
  }
  const components = {}
  const follow = (value) => {
    if (!value || typeof value !== 'object') return
    if (typeof value.$ref === 'string') {
      const name = value.$ref.replace('#/components/schemas/', '')
      if (!(name in components)) {
        components[name] = withoutProse(document.components.schemas[name])
        follow(components[name])
      }
    }
    for (const child of Object.values(value)) follow(child)
  }
  follow(operations)
  const sorted = Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync('test/data/github-openapi.json', `${JSON.stringify({ version: document.info.version, operations, components: { schemas: sorted } })}\n`)
}

function deref(document, value) {
  return value.$ref
    ? value.$ref
        .slice(2)
        .split('/')
        .reduce((at, key) => at[key], document)
    : value
}

/** Leaves out descriptions and examples: they decide nothing and are most of the bytes. */
function withoutProse(value) {
  if (Array.isArray(value)) return value.map(withoutProse)
  if (!value || typeof value !== 'object') return value
  const kept = {}
  for (const [key, child] of Object.entries(value)) {
    if (key === 'properties') kept[key] = Object.fromEntries(Object.entries(child).map(([name, schema]) => [name, withoutProse(schema)]))
    else if (!['description', 'example', 'examples', 'title', 'externalDocs'].includes(key) && !key.startsWith('x-')) kept[key] = withoutProse(child)
  }
  return kept
}

async function extractGraphql() {
  const { parse, print, visit } = await import(createRequire(join(root, 'x.js')).resolve('graphql'))
  const document = parse(readFileSync(join(modules, '@octokit/graphql-schema/schema.graphql'), 'utf8'), { noLocation: true })
  const byName = new Map(document.definitions.filter((d) => d.name).map((d) => [d.name.value, d]))
  const kept = new Map()
  const keep = (name) => {
    if (kept.has(name) || !byName.has(name)) return
    let node = byName.get(name)
    if (node.kind === 'DirectiveDefinition') return
    if (node.fields && node.kind !== 'InputObjectTypeDefinition') {
      const fields = GRAPHQL[name]
      if (!fields) return
      for (const field of fields) if (!node.fields.some((f) => f.name.value === field)) throw new Error(`no ${name}.${field} in the schema`)
      node = { ...node, interfaces: node.interfaces?.filter((i) => i.name.value in GRAPHQL), fields: node.fields.filter((f) => fields.includes(f.name.value)) }
    }
    node = visit(node, { Directive: () => null, StringValue: { enter: (n, key) => (key === 'description' ? null : n) } })
    kept.set(name, node)
    visit(node, { NamedType: (n) => keep(n.name.value) })
  }
  for (const name of Object.keys(GRAPHQL)) keep(name)
  const missing = new Set()
  for (const node of kept.values())
    visit(node, {
      FieldDefinition: (f) =>
        visit(f.type, {
          NamedType: (n) => {
            if (byName.has(n.name.value) && !kept.has(n.name.value)) missing.add(n.name.value)
          },
        }),
    })
  if (missing.size) throw new Error(`types that a field needs are not listed: ${[...missing]}`)
  writeFileSync('test/data/github-schema.graphql', `${[...kept.values()].map((node) => print(node)).join('\n\n')}\n`)
}
