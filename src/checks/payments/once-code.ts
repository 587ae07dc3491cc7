import { withCapital } from '../../lib/with-capital.ts'

/** Code that lets a piece of work run once for each id, in the words of the library that the application asks its database with. */
export function onceCode(library: string | undefined, table: 'webhook_events' | 'redeemed_payments', id: string, done: string): string {
  const name = table === 'webhook_events' ? 'webhookEvent' : 'redeemedPayment'
  const made = `-- create table ${table} (id text primary key, received_at timestamptz default now())`
  switch (library) {
    case 'prisma':
      return `// model ${withCapital(name)} { id String @id  receivedAt DateTime @default(now()) }
// ${id}: the key of what must not happen twice
try {
  await prisma.${name}.create({ data: { id: ${id} } })
} catch (error) {
  if (error.code === 'P2002') ${done} // there already
  throw error
}`
    case 'drizzle':
      return `// export const ${name}s = pgTable('${table}', { id: text('id').primaryKey() })
const [first] = await db.insert(${name}s).values({ id: ${id} }).onConflictDoNothing().returning()
if (!first) ${done} // there already`
    case 'mongoose':
      return `// a model whose _id is the id: ${withCapital(name)}
try {
  await ${withCapital(name)}.create({ _id: ${id} })
} catch (error) {
  if (error.code === 11000) ${done} // there already
  throw error
}`
    case 'supabase':
    case undefined:
      return `${made.replace('--', '//')};
// alter table ${table} enable row level security; db: the client with the server's key
const { error } = await db.from('${table}').insert({ id: ${id} })
if (error?.code === '23505') ${done} // there already
if (error) throw new Error(error.message)`
    default:
      return `${made}
-- and in the handler, before the work: no row comes back for an id that is there already
insert into ${table} (id) values ($1) on conflict do nothing returning id`
  }
}
