import { type DestinationStream, type Logger, pino } from 'pino'

/** Shapes of secrets that could stand in a message of a library: tokens, keys, JWTs, passwords in URLs. */
const SECRETS =
  /\b(gh[a-z]_|github_pat_|v1\.)[A-Za-z0-9_.]{10,}|\bey[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{0,8000}|\b((?:bearer|basic|token) )[A-Za-z0-9+/=._~-]{12,}|(:\/\/[^\s/:@"]{0,200}:)[^\s/@"]{1,500}@|\b(sk|rk|whsec|sb_secret)_[A-Za-z0-9_]{10,}/gi

/** Replaces everything with a secret's shape. */
export function scrub(text: string): string {
  return text.replace(
    SECRETS,
    (_match, token?: string, scheme?: string, url?: string, key?: string) => `${token ?? scheme ?? url ?? (key ? `${key}_` : '')}[redacted]${url ? '@' : ''}`,
  )
}

/** Structured logs as JSON lines. Errors keep name, message, stack and status; payloads, headers and bodies never get in. */
export function createLog(options: { level?: string; destination?: DestinationStream } = {}): Logger {
  const out = options.destination ?? process.stdout
  return pino(
    {
      level: options.level ?? process.env['LOG_LEVEL'] ?? 'info',
      serializers: {
        err: describeError,
        error: describeError,
        event: describeEvent,
        req: describeRequest,
        res: (res: { statusCode?: number }) => ({ status: res?.statusCode }),
      },
      redact: { paths: ['payload', '*.payload', 'headers', '*.headers', 'token', '*.token', 'body', '*.body'], censor: '[redacted]' },
    },
    { write: (line: string) => void out.write(scrub(line)) },
  )
}

function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { status } = error as { status?: number }
  const errors = error instanceof AggregateError ? error.errors.slice(0, 5).map(describeError) : undefined
  return { type: error.name, message: error.message, stack: error.stack, ...(status === undefined ? {} : { status }), ...(errors ? { errors } : {}) }
}

function describeEvent(event: string | { id?: string; name?: string; payload?: { action?: string } }): object | string {
  return typeof event === 'string' ? event : { id: event?.id, name: event?.name, action: event?.payload?.action }
}

function describeRequest(request: { method?: string; url?: string }): object {
  return { method: request?.method, url: request?.url?.split('?')[0] }
}
