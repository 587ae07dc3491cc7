import type { IncomingMessage } from 'node:http'

/** A host with an optional port, as browsers send it. */
const HOST = /^(?:[\w.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

/** Where the browser reaches this page: scheme and host, also behind a proxy. Undefined for a request without a usable host. */
export function originOf(request: IncomingMessage): string | undefined {
  const host = first(request.headers['x-forwarded-host']) ?? request.headers.host
  if (!host || !HOST.test(host)) return undefined
  const scheme = first(request.headers['x-forwarded-proto']) === 'https' ? 'https' : 'http'
  return `${scheme}://${host.toLowerCase()}`
}

/** Whether a request comes from a page of this server. Browsers send `Origin` with each POST and each request of another site's script. */
export function isOwnOrigin(request: IncomingMessage): boolean {
  const { origin } = request.headers
  if (origin === undefined) return request.method === 'GET'
  if (!URL.canParse(origin)) return false
  const { host } = new URL(origin)
  return host === request.headers.host?.toLowerCase() || host === first(request.headers['x-forwarded-host'])?.toLowerCase()
}

function first(header: string | string[] | undefined): string | undefined {
  return (Array.isArray(header) ? header[0] : header)?.split(',')[0]?.trim() || undefined
}

/** An http or https address without credentials, query and trailing slash; undefined for everything else. */
export function readAddress(text: string): string | undefined {
  const value = text.trim()
  if (value.length > 300 || !URL.canParse(value)) return undefined
  const url = new URL(value)
  if (!/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) return undefined
  const path = url.pathname.split('/')
  while (path.length && path.at(-1) === '') path.pop()
  return `${url.origin}${path.join('/')}`
}

/** Addresses that are known to be out of GitHub's reach: this machine, private networks, names without a public domain. */
export function isPrivateAddress(address: string): boolean {
  const host = new URL(address).hostname.replace(/^\[|\]$/g, '').toLowerCase()
  if (host.includes(':')) return host === '::1' || /^(?:f[cd]|fe[89ab])/.test(host)
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return /^(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./.test(host)
  return !host.includes('.') || /\.(?:local|localhost|internal|test|lan|home|invalid)$/.test(host)
}
