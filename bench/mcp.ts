/**
 * How much less an answer of `prelaunch mcp` takes when the session is warm: prints milliseconds and ratios to the first answer, the median of the runs.
 *
 *   node bench/mcp.ts DIR [--runs 5]
 *
 * DIR is a git repository; it is cloned first, because a file is changed before each warm answer.
 */
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { runs: { type: 'string', default: '5' } } })
const [dir] = positionals
if (!dir) {
  process.stderr.write('usage: mcp.ts DIR [--runs N]\n')
  process.exit(2)
}
const runs = Number(values.runs)
const clone = mkdtempSync(join(tmpdir(), 'prelaunch-bench-'))
execFileSync('git', ['clone', '--quiet', resolve(dir), clone])
const source = execFileSync('git', ['-C', clone, 'ls-files', '*.ts', '*.tsx'], { encoding: 'utf8' }).split('\n')[0]
const files = execFileSync('git', ['-C', clone, 'ls-files'], { encoding: 'utf8' }).trim().split('\n').length

const client = new Client({ name: 'bench', version: '1' })
await client.connect(new StdioClientTransport({ command: process.execPath, args: [resolve('src/cli.ts'), 'mcp', clone, '--offline'] }))
try {
  const first = await timed('audit')
  const rows = [{ what: 'first audit', ms: first }]
  rows.push({ what: 'audit, nothing changed', ms: await median(() => timed('audit')) })
  if (source)
    rows.push({
      what: 'audit, one file changed',
      ms: await median((run) => {
        appendFileSync(join(clone, source), `\nexport const prelaunchBench${run} = ${run}\n`)
        return timed('audit')
      }),
    })
  rows.push({ what: 'next_fix', ms: await median(() => timed('next_fix')) })
  process.stdout.write(`${files} files\n\n| answer | ms | of the first |\n| --- | --: | --: |\n`)
  for (const { what, ms } of rows) process.stdout.write(`| ${what} | ${ms.toFixed(0)} | ${(ms / first).toFixed(3)} |\n`)
} finally {
  await client.close()
  rmSync(clone, { recursive: true, force: true })
}

async function timed(tool: string): Promise<number> {
  const from = performance.now()
  const { isError, content } = await client.callTool({ name: tool, arguments: {} }, { timeout: 600_000 })
  if (isError) throw new Error(JSON.stringify(content))
  return performance.now() - from
}

async function median(measure: (run: number) => Promise<number>): Promise<number> {
  const all: number[] = []
  for (let run = 0; run < runs; run++) all.push(await measure(run))
  return all.sort((a, b) => a - b)[runs >> 1] as number
}
