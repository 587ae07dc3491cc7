import { expect, test } from 'vitest'
import { behaviourOf, describeSteps } from './describe-behaviour.ts'

/** A handler that collects what is wrong with the input before it works; `fields` are asked for. */
const collecting = (fields: number): string => `import { createClient } from '@supabase/supabase-js'
const admin = createClient(process.env.SUPABASE_URL!, process.env.SUPABASE_SERVICE_ROLE_KEY!)
export async function POST(req: Request) {
  const body = await req.json()
  const missing = []
${Array.from({ length: fields }, (_, i) => `  if (!body.f${i}) missing.push('f${i}')`).join('\n')}
  if (missing.length > 0) return new Response('no', { status: 400 })
  await admin.from('notes').delete().eq('id', body.id)
  return new Response('ok')
}`

test.each([1, 3, 4, 6, 12])('what follows a list of %i complaints is reached when there are none', (fields) => {
  const steps = describeSteps(behaviourOf({ 'route.ts': collecting(fields) }, { path: 'route.ts', name: 'POST', seeds: ['web-request'] }))
  expect(steps.map((s) => s.replace(/ if .*/, ''))).toEqual(expect.arrayContaining(['delete notes as service where id eq body.id', 'respond other 200']))
})

/** A handler that says no in as many ways as there are `refusals` before it answers with what it has read. */
const refusing = (refusals: number): string => `import { createClient } from '@supabase/supabase-js'
const admin = createClient(process.env.SUPABASE_URL!, process.env.SUPABASE_SERVICE_ROLE_KEY!)
const answer = async (req: Request) => {
  const body = await req.json()
${Array.from({ length: refusals }, (_, i) => `  if (body.f${i} === 'no') return new Response('no ${i}', { status: 400 })`).join('\n')}
  const { data } = await admin.from('notes').select('*')
  return Response.json(data)
}
export const POST = (req: Request) => answer(req)`

test.each([2, 12])('after %i refusals nothing is answered without a condition', (refusals) => {
  const steps = describeSteps(behaviourOf({ 'route.ts': refusing(refusals) }, { path: 'route.ts', name: 'POST', seeds: ['web-request'] }))
  expect(steps.filter((s) => s.startsWith('respond') && !s.includes(' if '))).toEqual([])
})

/** A handler that asks one of as many providers as there are `settings`, each made with settings of its own. */
const asking = (settings: number): string => `import { createProvider } from '@ai-sdk/openai-compatible'
import { createClient } from '@supabase/supabase-js'
const admin = createClient(process.env.SUPABASE_URL!, process.env.SUPABASE_SERVICE_ROLE_KEY!)
const provider = (kind: string) => {
${Array.from({ length: settings }, (_, i) => `  if (kind === 'p${i}') return { gateway: createProvider({ name: 'p${i}' }) }`).join('\n')}
  return { gateway: createProvider({ name: 'other' }) }
}
export async function POST(req: Request) {
  const { kind, model, id } = await req.json()
  const ai = provider(kind)
  await use(ai.gateway(model))
  await admin.from('notes').delete().eq('id', id)
  return new Response('ok')
}`

test.each([2, 20])('what is made in %i ways by a library can be called', (settings) => {
  const behaviour = behaviourOf({ 'route.ts': asking(settings) }, { path: 'route.ts', name: 'POST', seeds: ['web-request'] })
  expect(behaviour.complete).toBe(true)
  expect(describeSteps(behaviour).some((s) => s.startsWith('delete notes as service where id eq body.id'))).toBe(true)
})
