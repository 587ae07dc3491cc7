import { describe, expect, test } from 'vitest'
import { planReplay } from '../../../src/database/plan-replay.ts'
import { factsOf } from './facts-of.ts'

function plan(files: Record<string, string>) {
  return planReplay(factsOf(files), Object.keys(files).sort())
}

const T = 'create table t (id int);'

describe('which SQL counts, and in what order', () => {
  test.each<[string, Record<string, string>, string[]]>([
    [
      'migrations by file name, with either separator',
      { 'supabase/migrations/20250102_b.sql': T, 'supabase/migrations/20250101-a.sql': T, 'supabase/migrations/10_c.sql': T },
      ['migration supabase/migrations/10_c.sql', 'migration supabase/migrations/20250101-a.sql', 'migration supabase/migrations/20250102_b.sql'],
    ],
    [
      'names without a version are loose',
      { 'supabase/migrations/1_a.sql': T, 'supabase/migrations/hotfix.sql': T },
      ['migration supabase/migrations/1_a.sql', 'loose supabase/migrations/hotfix.sql'],
    ],
    [
      'declared schemas after the migrations, in the configured order',
      {
        'supabase/migrations/1_a.sql': T,
        'supabase/schemas/a.sql': T,
        'supabase/schemas/b.sql': T,
        'supabase/config.toml': '[db.migrations]\nschema_paths = ["./schemas/b.sql", "./schemas/*.sql"]\n',
      },
      ['migration supabase/migrations/1_a.sql', 'schema supabase/schemas/b.sql', 'schema supabase/schemas/a.sql'],
    ],
    [
      'discarded, archived, down, seed and test files are left out',
      {
        '.bolt/supabase_discarded_migrations/1_a.sql': T,
        'supabase/migrations/_archive/1_a.sql': T,
        'prisma/x-migrations/1_a/migration.sql': T,
        'supabase/migrations/2_b.down.sql': T,
        'supabase/seed.sql': T,
        'supabase/tests/database/a.test.sql': T,
        'database/checks.sql': `begin; select plan(2); ${T}`,
        'database/rollback_a.sql': T,
        'supabase/migrations/3_c.sql': T,
      },
      ['migration supabase/migrations/3_c.sql'],
    ],
    ['queries and data only are left out', { 'reports/monthly.sql': 'select * from t;', 'data.sql': 'insert into t values (1);' }, []],
    [
      'other dialects are left out',
      {
        'migrations/0001_a.sql': 'create table `t` (id integer primary key autoincrement);',
        'migrations/0003_c.sql': 'CREATE TABLE IF NOT EXISTS user (id TEXT PRIMARY KEY); CREATE TABLE IF NOT EXISTS visit (id TEXT PRIMARY KEY);',
        'schema.sql': 'CREATE TABLE t (id INT AUTO_INCREMENT) ENGINE=InnoDB;',
      },
      [],
    ],
    [
      'scripts of MySQL, and what stands beside them, are left out',
      {
        'sql/add_level.sql': 'SET @n = 0;\nALTER TABLE roles ADD COLUMN level VARCHAR(50) NULL AFTER skill;',
        'sql/a.sql': 'ALTER TABLE `roles` ADD COLUMN `level` INT;',
        'sql/b.sql': 'alter table roles add column place int null after level, add column note text;',
        'sql/beside.sql': T,
        'other/c.sql': T,
        'mixed/a.sql': 'ALTER TABLE `roles` ADD COLUMN `level` INT;',
        'mixed/b.sql': `${T} alter table t enable row level security;`,
        'supabase/migrations/1_a.sql': T,
        'supabase/migrations/2_b.sql': 'alter table t add column note text;\nalter table t modify column note int;',
      },
      ['migration supabase/migrations/1_a.sql', 'migration supabase/migrations/2_b.sql', 'loose mixed/b.sql', 'loose other/c.sql'],
    ],
    [
      'numbered folders are chains by number',
      { 'migrations/10_b.sql': T, 'migrations/9_a.sql': T, 'db/migrations/V2__x.sql': T },
      ['migration db/migrations/V2__x.sql', 'migration migrations/9_a.sql', 'migration migrations/10_b.sql'],
    ],
    [
      'Drizzle applies what its journal lists, and people what they number on by hand',
      {
        'drizzle/0000_a.sql': T,
        'drizzle/0000_left_over.sql': T,
        'drizzle/0001_b.sql': T,
        'drizzle/0010_d.sql': T,
        'drizzle/0002_c.sql': T,
        'drizzle/drafts/0011_e.sql': T,
        'drizzle/meta/_journal.json': '{"dialect":"postgresql","entries":[{"idx":0,"tag":"0001_b"},{"idx":1,"tag":"0000_a"}]}',
      },
      ['migration drizzle/0001_b.sql', 'migration drizzle/0000_a.sql', 'migration drizzle/0002_c.sql', 'migration drizzle/0010_d.sql'],
    ],
    [
      'Prisma migrations by folder',
      { 'prisma/migrations/2_b/migration.sql': T, 'prisma/migrations/1_a/migration.sql': T },
      ['migration prisma/migrations/1_a/migration.sql', 'migration prisma/migrations/2_b/migration.sql'],
    ],
    [
      'SQL anywhere that creates something',
      { 'scripts/setup/policies.sql': 'create policy p on t using (true);', 'create-tables.sql': T },
      ['loose create-tables.sql', 'loose scripts/setup/policies.sql'],
    ],
    [
      'also beside the edge functions that need it',
      { 'supabase/migrations/1_a.sql': T, 'supabase/functions/sql/tokens.sql': T },
      ['migration supabase/migrations/1_a.sql', 'loose supabase/functions/sql/tokens.sql'],
    ],
  ])('%s', (_name, files, expected) => {
    expect(plan(files).files.map((f) => `${f.role} ${f.path}`)).toEqual(expected)
  })
})

describe('settings', () => {
  test('of [api]', () => {
    const input = plan({
      'supabase/config.toml': '[api]\nschemas = ["public", "graphql_public", "app"]\nauto_expose_new_tables = false\n',
      'supabase/migrations/1_a.sql': T,
    })
    expect(input).toMatchObject({ exposedSchemas: ['public', 'app'], autoExpose: false, exposedToBrowsers: true })
  })

  test.each<[string, Record<string, string>, boolean]>([
    ['a client library', { 'package.json': '{"dependencies":{"@supabase/supabase-js":"^2"}}', 'schema.sql': T }, true],
    ['a supabase folder', { 'supabase/migrations/1_a.sql': T }, true],
    [
      'an import by URL',
      { 'functions/a.ts': "import { createClient } from 'https://esm.sh/@supabase/supabase-js@2'\ncreateClient('', '')", 'schema.sql': T },
      true,
    ],
    ['Prisma alone', { 'package.json': '{"dependencies":{"@prisma/client":"^6"}}', 'schema.sql': T }, false],
  ])('%s', (_name, files, exposed) => {
    expect(plan(files).exposedToBrowsers).toBe(exposed)
  })
})

describe('hints', () => {
  test('say what code knows of tables that SQL speaks of but does not create', () => {
    const input = plan({
      'supabase/migrations/1_a.sql': 'create table known (id uuid); alter table bookings enable row level security; create policy p on rooms using (true);',
      'src/a.ts':
        "export const a = (db: any) => db.from('bookings').select('id, guest_email, rooms(name)').eq('status', 'open')\nexport const b = (db: any) => db.from('known').select('x')\nexport const c = (db: any) => db.from('elsewhere').insert({ y: 1 })\nexport const d = Array.from('bookings')\nexport const e = (db: any) => db.storage.from('rooms').list()\n",
      'src/integrations/supabase/types.ts':
        'export type Database = {\n  public: {\n    Tables: {\n      rooms: {\n        Row: {\n          id: number\n          price: number | null\n          user_id: string\n          tags: string[]\n          house_id: string\n          wing_id: string | null\n        }\n        Insert: {\n          id?: number\n        }\n        Relationships: [\n          {\n            foreignKeyName: "rooms_house_id_fkey"\n            columns: ["house_id"]\n            isOneToOne: false\n            referencedRelation: "houses"\n            referencedColumns: ["id"]\n          },\n          {\n            foreignKeyName: "rooms_house_id_fkey"\n            columns: ["house_id"]\n            isOneToOne: false\n            referencedRelation: "open_houses"\n            referencedColumns: ["id"]\n          },\n          {\n            foreignKeyName: "rooms_wing_id_fkey"\n            columns: ["wing_id"]\n            isOneToOne: false\n            referencedRelation: "houses"\n            referencedColumns: ["id"]\n          },\n        ]\n      }\n      houses: {\n        Row: {\n          id: string\n        }\n        Relationships: []\n      }\n    }\n    Views: {\n    }\n  }\n}\n',
    })
    expect(input.hints).toEqual([
      { table: 'bookings', columns: [{ name: 'status' }, { name: 'id' }, { name: 'guest_email' }] },
      {
        table: 'rooms',
        columns: [
          { name: 'id', type: 'bigint' },
          { name: 'price', type: 'numeric' },
          { name: 'user_id', type: 'uuid' },
          { name: 'tags', type: 'text[]' },
          { name: 'house_id', type: 'uuid' },
          { name: 'wing_id', type: 'uuid' },
        ],
        references: [{ column: 'house_id', table: 'houses', key: 'id' }],
      },
    ])
  })
})

describe('schema files', () => {
  test('Drizzle becomes DDL with the lines of the schema file', () => {
    const source = `import { pgTable, pgEnum, pgPolicy, uuid, text, timestamp, integer, foreignKey } from 'drizzle-orm/pg-core'
import { authenticatedRole, authUid, authUsers } from 'drizzle-orm/supabase'
import { sql } from 'drizzle-orm'

export const plan = pgEnum('plan', ['free', 'pro'])

export const profiles = pgTable('profiles', {
  id: uuid('id').primaryKey().references(() => authUsers.id, { onDelete: 'cascade' }),
  plan: plan('plan').notNull().default('free'),
  createdAt: timestamp('created_at', { withTimezone: true }).defaultNow(),
}).enableRLS()

export const posts = pgTable(
  'posts',
  {
    id: uuid().primaryKey().defaultRandom(),
    authorId: uuid('author_id').notNull(),
    votes: integer('votes').default(0),
  },
  (table) => [
    foreignKey({ columns: [table.authorId], foreignColumns: [profiles.id] }),
    pgPolicy('own posts', { for: 'select', to: authenticatedRole, using: authUid(table.authorId) }),
    pgPolicy('insert', { for: 'insert', to: ['anon'], withCheck: sql\`\${table.votes} = 0 and \${table.authorId} is not null\` }),
  ],
)

export const bare = pgTable('bare', { id: text('id') })
`
    const files = plan({ 'src/db/schema.ts': source, 'package.json': '{}' }).files
    const numbered = files.flatMap((f) => f.text.split('\n').map((line, i) => `${f.lines?.[i]} ${line}`))
    expect(files.every((f) => f.role === 'generated' && f.path === 'src/db/schema.ts')).toBe(true)
    expect(numbered).toEqual([
      '5 create type "public"."plan" as enum (\'free\', \'pro\');',
      '7 create table "public"."profiles" (',
      '8   "id" uuid primary key,',
      '9   "plan" "public"."plan" not null default \'free\',',
      '10   "created_at" timestamptz default now()',
      '7 );',
      '13 create table "public"."posts" (',
      '16   "id" uuid primary key default gen_random_uuid(),',
      '17   "author_id" uuid not null,',
      '18   "votes" integer default 0',
      '13 );',
      '27 create table "public"."bare" (',
      '27   "id" text',
      '27 );',
      '8 alter table "public"."profiles" add foreign key ("id") references auth.users (id);',
      '11 alter table "public"."profiles" enable row level security;',
      '21 alter table "public"."posts" add foreign key ("author_id") references "public"."profiles" ("id");',
      '22 alter table "public"."posts" enable row level security;',
      '22 create policy "own posts" on "public"."posts" as permissive for select to authenticated using ((select auth.uid()) = "author_id");',
      '23 create policy "insert" on "public"."posts" as permissive for insert to "anon" with check ("votes" = 0 and "author_id" is not null);',
    ])
  })

  test('Prisma becomes DDL: of tables that its migrations create, the columns that came later', () => {
    const source = `datasource db {
  provider = "postgresql"
}

enum Role {
  USER
  ADMIN @map("admin")
}

model User {
  id    String  @id @default(dbgenerated("gen_random_uuid()")) @db.Uuid
  email String  @unique // login
  role  Role    @default(USER)
  posts Post[]

  @@map("users")
}

model Post {
  id       Int      @id @default(autoincrement())
  authorId String   @map("author_id") @db.Uuid
  author   User     @relation(fields: [authorId], references: [id])
  tags     String[]
  at       DateTime @default(now()) @db.Timestamptz(6)
  prefs    Json?    @default("{\\"daily\\":true}")

  @@unique([authorId, at])
}

model Old {
  id    Int     @id
  label String? @db.Citext
}
`
    const files = plan({ 'prisma/schema.prisma': source, 'prisma/migrations/1_a/migration.sql': 'CREATE TABLE "Old" ("id" INTEGER);' }).files
    const numbered = files.filter((f) => f.role === 'generated').flatMap((f) => f.text.split('\n').map((line, i) => `${f.lines?.[i]} ${line}`))
    expect(numbered).toEqual([
      "5 create type public.\"Role\" as enum ('USER', 'admin');",
      '10 create table "public"."users" (',
      '11   "id" uuid primary key default gen_random_uuid(),',
      '12   "email" text not null unique,',
      '13   "role" public."Role" not null default \'USER\'',
      '10 );',
      '19 create table "public"."Post" (',
      '20   "id" serial primary key,',
      '21   "author_id" uuid not null,',
      '23   "tags" text[],',
      '24   "at" timestamptz not null default now(),',
      '25   "prefs" jsonb default \'{"daily":true}\',',
      '27   unique ("author_id", "at")',
      '19 );',
      '22 alter table "public"."Post" add foreign key ("author_id") references "public"."users" ("id");',
      '31 alter table if exists "public"."Old" add column if not exists "id" integer;',
      '32 alter table if exists "public"."Old" add column if not exists "label" text;',
    ])
  })

  test("models that are another database's tables are kept apart from those that browsers reach", () => {
    const source = `datasource db {
  provider = "mysql"
  url      = env("DATABASE_URL")
}

model User {
  id    String @id
  email String
}
`
    const files = plan({ 'prisma/schema.prisma': source }).files.filter((f) => f.role === 'generated')
    expect(files.map((f) => f.text).join('\n')).toContain('create table "another_database"."User"')
  })

  test('A file outside the folder of the schema is a note: models that were added to the schema stand there', () => {
    const source = 'datasource db {\n  provider = "postgresql"\n}\n\nmodel Team {\n  id String @id\n}\n'
    const note = '// add these to the schema\nmodel Team {\n  id String @id\n}\n\nmodel Later {\n  id String @id\n}\n'
    const files = plan({ 'NOTES.prisma': note, 'prisma/schema.prisma': source }).files.filter((f) => f.role === 'generated')
    expect(files.filter((f) => f.text.includes('"Team"')).map((f) => f.path)).toEqual(['prisma/schema.prisma'])
    expect(files.filter((f) => f.text.includes('"Later"')).map((f) => f.path)).toEqual(['NOTES.prisma'])
  })
})
