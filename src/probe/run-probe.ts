import { VERSION } from '../lib/version.ts'
import { judgeAnswer, type ProbeAnswer, type ProbeVerdict, sameResource } from './judge-answer.ts'
import type { ProbeRequest } from './plan-probe.ts'

export interface ProbeResult {
  readonly request: ProbeRequest
  readonly answer: ProbeAnswer
  readonly verdict: ProbeVerdict
}

export interface ProbeOptions {
  /** Requests in a second, at most. */
  readonly perSecond?: number
  readonly timeoutMs?: number
  readonly onResult?: (result: ProbeResult) => void
}

/** More than this of a body is not read. */
const MAX_BODY = 256 * 1024
const MAX_HOPS = 3

/** Sends the requests one after the other, GET only, to that host only, without cookies or credentials. */
export async function runProbe(base: URL, requests: readonly ProbeRequest[], options: ProbeOptions = {}): Promise<readonly ProbeResult[]> {
  const pause = 1000 / (options.perSecond ?? 5)
  const results: ProbeResult[] = []
  let last = 0
  for (const request of requests) {
    const wait = last + pause - performance.now()
    if (wait > 0 && results.length) await new Promise((resolve) => setTimeout(resolve, wait))
    last = performance.now()
    const answer = await ask(base, request.path, options.timeoutMs ?? 10_000, pause)
    const result = { request, answer, verdict: judgeAnswer(request, answer) }
    results.push(result)
    options.onResult?.(result)
  }
  return results
}

async function ask(base: URL, path: string, timeoutMs: number, pause: number): Promise<ProbeAnswer> {
  let url = new URL(path, base)
  for (let hop = 0; ; hop++) {
    const answer = await once(url, timeoutMs)
    const next = answer.location && hop < MAX_HOPS ? sameResource(path, answer.location, base) : undefined
    // Only another spelling of the same page, on the same host, is followed; everything else is the refusal itself.
    if (!next || next.href === url.href || next.protocol !== base.protocol) return answer
    url = next
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

async function once(url: URL, timeoutMs: number): Promise<ProbeAnswer> {
  try {
    const response = await fetch(url, {
      method: 'GET',
      redirect: 'manual',
      credentials: 'omit',
      headers: { 'user-agent': `prelaunch-probe/${VERSION}`, accept: 'text/html,application/json;q=0.9,*/*;q=0.5' },
      signal: AbortSignal.timeout(timeoutMs),
    })
    const location = response.headers.get('location')
    const type = response.headers.get('content-type')
    const body = response.status >= 300 && response.status < 400 ? '' : await bodyOf(response)
    return { status: response.status, body, ...(location ? { location } : {}), ...(type ? { type } : {}) }
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return { status: 0, body: '', error: cause instanceof Error ? cause.message.slice(0, 160) || cause.name : 'no answer' }
  }
}

async function bodyOf(response: Response): Promise<string> {
  if (!response.body) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = response.body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done || !value) break
    chunks.push(value)
    size += value.length
    if (size >= MAX_BODY) {
      await reader.cancel()
      break
    }
  }
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, MAX_BODY))
}
