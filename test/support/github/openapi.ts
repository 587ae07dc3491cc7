import { readFileSync } from 'node:fs'
import { Ajv, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'

interface Operation {
  readonly parameters: readonly { name: string; in: string; required: boolean; schema?: unknown }[]
  readonly requestBody?: unknown
  readonly responses: Readonly<Record<string, unknown>>
}

const contract = JSON.parse(readFileSync(new URL('../../data/github-openapi.json', import.meta.url), 'utf8')) as {
  operations: Record<string, Operation>
  components: unknown
}

const ajv = new Ajv({ strict: false, allErrors: true, logger: false, coerceTypes: false })
;(formats as unknown as (a: Ajv) => void)(ajv)
ajv.addSchema({ $id: 'gh', components: nullable(contract.components) } as object)

const compiled = new Map<string, ValidateFunction>()
// Longer templates first: `commits/{ref}/check-runs` is not `commits/{ref}` of a ref with a slash.
const templates = Object.keys(contract.operations).sort((a, b) => b.split('/').length - a.split('/').length)
const routes = templates.map((endpoint) => {
  const [method = '', template = ''] = endpoint.split(' ')
  const names: string[] = []
  const pattern = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    names.push(name)
    // Branch names and ranges may hold slashes; everything else is one segment.
    return ['branch', 'basehead', 'ref', 'tree_sha'].includes(name) && template.endsWith(`{${name}}`) ? '(.+)' : '([^/]+)'
  })
  return { endpoint, method, names, pattern: new RegExp(`^${pattern}$`) }
})

/** The documented endpoint that a request is for, with its path parameters. */
export function matchEndpoint(method: string, path: string): { endpoint: string; params: Record<string, string> } | undefined {
  for (const route of routes) {
    const match = route.method === method ? route.pattern.exec(path) : null
    if (match) return { endpoint: route.endpoint, params: Object.fromEntries(route.names.map((name, i) => [name, decodeURIComponent(match[i + 1] ?? '')])) }
  }
  return undefined
}

/** What is wrong with a request according to GitHub's OpenAPI description; empty when nothing is. */
export function requestProblems(endpoint: string, query: URLSearchParams, body: unknown): string[] {
  const operation = contract.operations[endpoint] as Operation
  const problems: string[] = []
  const known = new Map(operation.parameters.filter((p) => p.in === 'query').map((p) => [p.name, p]))
  for (const name of query.keys()) if (!known.has(name)) problems.push(`unknown query parameter ${name}`)
  for (const [name, parameter] of known) if (parameter.required && !query.has(name)) problems.push(`missing query parameter ${name}`)
  if (operation.requestBody) {
    const validate = compile(`${endpoint} request`, operation.requestBody)
    if (!validate(body ?? {})) problems.push(...describe(validate))
    problems.push(...unknownProperties(operation.requestBody, body))
  } else if (body !== undefined && Object.keys(body as object).length) problems.push('this endpoint takes no body')
  return problems
}

/** What is wrong with an answer of the server itself: it must be as GitHub documents it. */
export function responseProblems(endpoint: string, status: number, body: unknown): string[] {
  const schema = contract.operations[endpoint]?.responses[String(status)]
  if (!schema || body === undefined) return []
  const validate = compile(`${endpoint} ${status}`, schema)
  return validate(body) ? [] : describe(validate)
}

function compile(key: string, schema: unknown): ValidateFunction {
  let validate = compiled.get(key)
  if (!validate) {
    validate = ajv.compile(JSON.parse(JSON.stringify(nullable(schema)).replaceAll('"#/components/', '"gh#/components/')))
    compiled.set(key, validate)
  }
  return validate
}

function describe(validate: ValidateFunction): string[] {
  return (validate.errors ?? [])
    .slice(0, 8)
    .map((e) => `${e.instancePath || '/'} ${e.message ?? ''}${e.params && 'missingProperty' in e.params ? '' : ` ${JSON.stringify(e.params)}`}`)
}

/** The description allows unknown properties everywhere; a misspelt one in a request is still a mistake of ours. */
function unknownProperties(schema: unknown, body: unknown): string[] {
  const properties = new Set<string>()
  const collect = (s: unknown) => {
    if (!s || typeof s !== 'object') return
    const { properties: own, oneOf, anyOf, allOf } = s as Record<string, unknown>
    for (const name of Object.keys((own as object) ?? {})) properties.add(name)
    for (const part of [oneOf, anyOf, allOf]) if (Array.isArray(part)) part.forEach(collect)
  }
  collect(schema)
  if (!properties.size || !body || typeof body !== 'object') return []
  return Object.keys(body)
    .filter((name) => !properties.has(name))
    .map((name) => `unknown property ${name}`)
}

/** OpenAPI 3.0 `nullable` as JSON schema understands it. */
function nullable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(nullable)
  if (!value || typeof value !== 'object') return value
  const copy = Object.fromEntries(Object.entries(value).map(([k, v]) => [k, k === 'enum' ? v : nullable(v)])) as Record<string, unknown>
  if (copy['nullable'] === true) {
    delete copy['nullable']
    if (Array.isArray(copy['enum']) && !copy['enum'].includes(null)) copy['enum'] = [...copy['enum'], null]
    return { anyOf: [copy, { type: 'null' }] }
  }
  return copy
}
