/** A mistake in how the command was called. It is shown with the usage, and the process ends with status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Throws a `UsageError` with the message unless the condition holds. */
export function requireUsage(condition: boolean, message: string): asserts condition {
  if (!condition) throw new UsageError(message)
}

/** What `parseArgs` says about an option, without its advice on positional arguments. Other errors stay what they are. */
export function asUsageError(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return code.startsWith('ERR_PARSE_ARGS') ? new UsageError((error as Error).message.split('. ')[0] ?? '') : error
}
