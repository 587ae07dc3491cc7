import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { AuditSession } from './audit-session.ts'
import { requireFolder } from './folder.ts'
import { asUsageError, UsageError } from './usage-error.ts'

/** `prelaunch mcp [DIR] [--offline]`: serves the tools for one folder over stdio, until the client closes its end. */
export async function mcpCommand(args: readonly string[]): Promise<number> {
  const { dir, offline } = read(args)
  const [{ serveStdio }, { createServer }, { Tools }] = await Promise.all([
    import('@modelcontextprotocol/server/stdio'),
    import('../mcp/server.ts'),
    import('../mcp/tools.ts'),
  ])
  const session = new AuditSession(dir, { offline })
  const tools = new Tools(session)
  const server = serveStdio(() => createServer(tools), { onerror: (error) => process.stderr.write(`prelaunch: ${error.message.split('\n')[0]}\n`) })
  await Promise.race([once(process.stdin, 'end'), once(process.stdin, 'close')])
  await server.close()
  await session.close()
  return 0
}

function read(args: readonly string[]): { readonly dir: string; readonly offline: boolean } {
  try {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: { offline: { type: 'boolean', default: false } } })
    if (positionals.length > 1) throw new UsageError(`mcp takes one folder, but got ${positionals.length}`)
    return { dir: requireFolder(positionals[0] ?? '.'), offline: values.offline }
  } catch (error) {
    throw asUsageError(error)
  }
}
