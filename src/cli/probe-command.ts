import { parseArgs } from 'node:util'
import { audit } from '../audit.ts'
import { DEFAULT_CONFIG } from '../config/config.ts'
import { cleanLine } from '../lib/clean-text.ts'
import { plural } from '../lib/plural.ts'
import { WORKING_TREE } from '../platform/local/git-source.ts'
import { localPorts } from '../platform/local/ports.ts'
import { planProbe } from '../probe/plan-probe.ts'
import { probeFindings } from '../probe/probe-findings.ts'
import { runProbe } from '../probe/run-probe.ts'
import { requireFolder } from './folder.ts'
import { asUsageError, UsageError } from './usage-error.ts'

/** `prelaunch probe URL [DIR]`: requests every protected route of the inventory on a running preview, logged out. */
export async function probeCommand(args: readonly string[]): Promise<number> {
  const { url, dir, format, perSecond } = read(args)
  const ports = await localPorts(dir, { offline: true })
  try {
    const { report } = await audit({ commit: WORKING_TREE, config: DEFAULT_CONFIG, today: new Date().toISOString().slice(0, 10) }, ports)
    const plan = planProbe(report)
    const out = (line: string) => {
      if (format === 'terminal') process.stdout.write(`${cleanLine(line)}\n`)
    }
    out(`${plural(plan.requests.length, 'protected route')} of ${dir} on ${url.origin}: logged out, GET only, at most ${perSecond} a second`)
    const results = await runProbe(url, plan.requests, {
      perSecond,
      onResult: (r) => {
        out(`${{ open: 'OPEN   ', refused: 'refused', unclear: 'unclear' }[r.verdict.kind]} GET ${r.request.path}  ${r.verdict.how}`)
        if (r.verdict.kind === 'unclear') out(`        ${r.request.route.path}:${r.request.route.line}, expected a redirect or 401: ${r.request.because}`)
      },
    })
    const findings = probeFindings(url, results)
    if (format === 'json')
      process.stdout.write(
        `${JSON.stringify({ url: url.origin, findings, results: results.map((r) => ({ subject: r.request.subject, path: r.request.path, verdict: r.verdict.kind, how: r.verdict.how })), skipped: plan.skipped }, null, 2)}\n`,
      )
    for (const s of plan.skipped) out(`skipped ${s.subject}: ${s.because}`)
    for (const f of findings) out(`${f.path}:${f.line} ${f.severity} ${f.check}: ${f.message} ${f.fix.text}`)
    out(
      `${findings.length} open, ${results.filter((r) => r.verdict.kind === 'refused').length} refused, ${results.filter((r) => r.verdict.kind === 'unclear').length} unclear (look at them by hand), ${plan.skipped.length} skipped`,
    )
    if (results.length > 0 && results.every((r) => r.answer.error)) {
      process.stderr.write(`prelaunch: ${url.origin} does not answer: ${cleanLine(results[0]?.answer.error ?? '')}\n`)
      return 3
    }
    return findings.length ? 1 : 0
  } finally {
    await ports.close()
  }
}

function read(args: readonly string[]): { url: URL; dir: string; format: string; perSecond: number } {
  const usage = (message: string) => new UsageError(message)
  let parsed: { values: { format?: string; rate?: string }; positionals: string[] }
  try {
    parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { format: { type: 'string', default: 'terminal' }, rate: { type: 'string', default: '5' } },
    })
  } catch (error) {
    throw asUsageError(error)
  }
  const [address, folder = '.', ...more] = parsed.positionals
  if (!address || more.length) throw usage('probe takes an address and a folder')
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw usage(`${address} is not an http or https address`)
  if (url.username || url.password) throw usage('the probe is logged out: the address must hold no credentials')
  const dir = requireFolder(folder)
  const format = parsed.values.format ?? 'terminal'
  if (!['terminal', 'json'].includes(format)) throw usage('--format is terminal or json')
  const perSecond = Number(parsed.values.rate)
  if (!(perSecond > 0 && perSecond <= 50)) throw usage('--rate is a number of requests in a second, at most 50')
  return { url, dir, format, perSecond }
}
