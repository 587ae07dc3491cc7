import type { SweepOptions } from './sweep-options.ts'

/** Failed deliveries that one sweep reads; what failed before them is left to the look at open pull requests. */
const MAX_FAILURES = 10_000
/** Redeliveries asked for in one sweep, oldest first; the next sweep goes on where this one ended. */
const MAX_REDELIVERIES = 500
/** GitHub keeps deliveries for three days. */
const KEPT_MS = 3 * 86_400_000
/** A delivery under way when the list is read may fail later under its earlier time. */
const OVERLAP_MS = 60_000

/** Asks GitHub to deliver again what failed since the last sweep and is not stored: the App was down or too slow. */
export async function redeliverMissed({ app, store, log }: SweepOptions): Promise<void> {
  const api = await app()
  const begin = Date.now()
  const since = (await store.targets.mark('deliveries')) ?? new Date(begin - KEPT_MS).toISOString()
  const failed = new Map<string, { id: number; at: string }>()
  let cursor: string | undefined
  for (let looked = 0; looked < MAX_FAILURES; ) {
    const { data, headers } = await api.request('GET /app/hook/deliveries', { per_page: 100, status: 'failure', ...(cursor ? { cursor } : {}) })
    looked += data.length
    // An older Enterprise Server does not know the filter.
    for (const d of data)
      if (d.delivered_at > since && !(d.status_code >= 200 && d.status_code < 300) && !failed.has(d.guid))
        failed.set(d.guid, { id: Number(d.id), at: d.delivered_at })
    cursor = /[?&]cursor=([^&>]{1,200})[^>]{0,500}>; rel="next"/.exec(headers.link ?? '')?.[1]
    if (!cursor || data.length === 0 || (data.at(-1)?.delivered_at ?? '') <= since) break
  }
  const known = await store.targets.knownDeliveries([...failed.keys()])
  // What led to nothing leaves no trace in the store; an attempt that failed again has another id.
  const asked = new Set(JSON.parse((await store.targets.mark('redelivered')) ?? '[]') as number[])
  const missed = [...failed].flatMap(([guid, delivery]) => (known.has(guid) || asked.has(delivery.id) ? [] : [delivery])).sort((a, b) => (a.at < b.at ? -1 : 1))
  const due = missed.slice(0, MAX_REDELIVERIES)
  for (const { id } of due) await api.request('POST /app/hook/deliveries/{delivery_id}/attempts', { delivery_id: id })
  await store.targets.setMark('redelivered', JSON.stringify(due.map((d) => d.id)))
  if (due.length) log.info({ deliveries: due.length, left: missed.length - due.length }, 'asked for missed deliveries again')
  await store.targets.setMark('deliveries', missed.length > due.length ? (due.at(-1)?.at ?? since) : new Date(begin - OVERLAP_MS).toISOString())
}
