import { parseArgs } from 'node:util'
import { asUsageError, UsageError } from './cli/usage-error.ts'

const USAGE = `prelaunch: is this application safe before real users reach it?

  prelaunch audit [DIR] [--commit REV] [--base REV] [--format terminal|json|markdown|html|sarif]
                        [--output FILE] [--fail-on critical|high|medium|never] [--offline]
                        [--baseline FILE] [--project PATH]
                        [--details]            every problem and check, not one screen
  prelaunch probe URL [DIR] [--rate PER_SECOND] [--format terminal|json]
                                request every protected route of a running preview, logged out
  prelaunch explain CHECK [--details]
                                what a check finds and how to fix it (number or id), with examples
  prelaunch checks              the 25 checks
  prelaunch baseline [DIR] [--output FILE]
                                write the findings of today to a file; audit --baseline FILE does not fail for them
  prelaunch watch [DIR]         audit again whenever a file changes
  prelaunch init --agents [DIR] tell AI builders in AGENTS.md which guards, clients and tables this application has
  prelaunch mcp [DIR]           tools for an AI builder over stdio (Model Context Protocol)

Exit status: 0 nothing at or above --fail-on (critical by default), 1 findings, 2 usage error or
nothing to audit, 3 the audit could not be completed.
`

async function main(argv: readonly string[]): Promise<number> {
  const [first, ...rest] = argv
  const command = rest.includes('--help') || rest.includes('-h') ? 'help' : first
  switch (command) {
    case 'audit':
      return (await import('./cli/audit-command.ts')).auditCommand(options(rest))
    case 'checks':
      return (await import('./cli/checks-command.ts')).checksCommand(rest)
    case 'explain':
      return (await import('./cli/checks-command.ts')).explainCommand(rest)
    case 'probe':
      return (await import('./cli/probe-command.ts')).probeCommand(rest)
    case 'baseline':
      return (await import('./cli/baseline-command.ts')).baselineCommand(rest)
    case 'init':
      return (await import('./cli/init-command.ts')).initCommand(rest)
    case 'mcp':
      return (await import('./cli/mcp-command.ts')).mcpCommand(rest)
    case 'watch':
      return (await import('./cli/watch-command.ts')).watchCommand(rest)
    case '--version':
    case 'version':
      process.stdout.write(`${(await import('./lib/version.ts')).VERSION}\n`)
      return 0
    case undefined:
    case 'help':
    case '--help':
    case '-h':
      process.stdout.write(USAGE)
      return command === undefined ? 2 : 0
    default:
      throw new UsageError(`there is no command "${command}"`)
  }
}

function options(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        commit: { type: 'string' },
        base: { type: 'string' },
        format: { type: 'string', default: 'terminal' },
        output: { type: 'string', short: 'o' },
        'fail-on': { type: 'string' },
        offline: { type: 'boolean', default: false },
        baseline: { type: 'string' },
        project: { type: 'string' },
        details: { type: 'boolean', default: false },
      },
    })
    if (positionals.length > 1) throw new UsageError(`audit takes one folder, but got ${positionals.length}`)
    return { dir: positionals[0] ?? '.', ...values }
  } catch (error) {
    throw asUsageError(error)
  }
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
})

main(process.argv.slice(2)).then(
  (status) => {
    process.exitCode = status
  },
  (error: Error) => {
    const usage = error instanceof UsageError
    process.stderr.write(`prelaunch: ${error.message}\n${usage ? `\n${USAGE}` : ''}`)
    process.exitCode = usage ? 2 : 3
  },
)
