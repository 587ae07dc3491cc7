import { describe, expect, test } from 'vitest'
import type { Column, Table } from '../../src/database/database.ts'
import { classifyUserData } from '../../src/database/sandbox/classification/user-data.ts'

/** `posts: id uuid pk, author_id uuid -> auth.users, body text`. */
function table(line: string): Table {
  const [name, rest] = line.split(': ') as [string, string]
  const parts = rest.split(', ').map((p) => /^(\w+)(?: (\w+))?( pk)?( not null)?(?: = (\S+))?(?: -> (\S+))?$/.exec(p) as RegExpExecArray)
  const columns = parts.map((m): Column => ({ name: m[1] as string, type: m[2] ?? 'text', notNull: m[4] !== undefined, ...(m[5] ? { default: m[5] } : {}) }))
  return {
    schema: 'public',
    name,
    kind: 'table',
    owner: 'postgres',
    columns,
    primaryKey: parts.flatMap((m) => (m[3] ? [m[1] as string] : [])),
    uniques: [],
    foreignKeys: parts.flatMap((m) =>
      m[6] ? [{ columns: [m[1] as string], references: m[6].includes('.') ? m[6] : `public.${m[6]}`, referencedColumns: ['id'] }] : [],
    ),
    rls: { enabled: true, forced: false },
    grants: [],
    at: { path: 'a.sql', line: 1 },
  }
}

function classify(...lines: string[]) {
  return Object.fromEntries(
    classifyUserData(lines.map(table)).map((t) => [t.name, t.userData ? `${t.userData.because} / ${t.userData.ownerColumns.join(' ')}` : undefined]),
  )
}

describe('whose rows they are', () => {
  test.each<[string, string[], Record<string, string | undefined>]>([
    [
      'who played and who won, in rows about what is played, are no owners; of a game of two they are',
      [
        'results: id uuid pk, match_id uuid, winner_id uuid -> auth.users, recorded_by uuid -> auth.users',
        'vods: id uuid pk, match_id uuid, player1_id uuid -> auth.users, player2_id uuid -> auth.users',
        'games: id uuid pk, player1_id uuid -> auth.users, player2_id uuid -> auth.users, winner_id uuid -> auth.users',
      ],
      {
        results: 'recorded_by references auth.users / recorded_by',
        vods: undefined,
        games: 'player1_id references auth.users / player1_id player2_id winner_id',
      },
    ],
    [
      'a key to auth.users, in any language',
      ['facturas: id uuid pk, usuario_id uuid -> auth.users'],
      { facturas: 'usuario_id references auth.users / usuario_id' },
    ],
    [
      'a key to a table keyed by the user',
      ['profiles: id uuid pk -> auth.users', 'pets: id uuid pk, keeper uuid -> profiles'],
      { profiles: 'id references auth.users / id', pets: 'keeper references public.profiles / keeper' },
    ],
    [
      'what a profile says of its user makes no group of it',
      [
        'sports: id uuid pk, name text',
        'user_profiles: id uuid pk -> auth.users, role text, sport_id uuid -> sports',
        'meets: id uuid pk, sport_id uuid -> sports',
      ],
      { sports: undefined, user_profiles: 'id references auth.users / id', meets: undefined },
    ],
    ['a profile beside the user', ['profiles: id uuid pk, user_id uuid -> auth.users'], { profiles: 'user_id references auth.users / user_id' }],
    ['the caller’s id as default', ['notes: id uuid pk, who uuid = auth.uid()'], { notes: "who defaults to the caller's id / who" }],
    ['an owner by name', ['orders: id uuid pk, customer_id uuid'], { orders: 'customer_id names an owner / customer_id' }],
    [
      'a row of a row, transitively',
      ['lists: id uuid pk, user_id uuid -> auth.users', 'items: id uuid pk, list_id uuid not null -> lists', 'ticks: item_id uuid pk -> items'],
      {
        lists: 'user_id references auth.users / user_id',
        items: 'it belongs to public.lists by list_id / ',
        ticks: 'it belongs to public.items by item_id / ',
      },
    ],
    ['a tenant', ['docs: id uuid pk, workspace_id uuid'], { docs: 'workspace_id names a tenant / ' }],
    [
      'a group by its members, whatever it is called',
      [
        'users: id integer pk, email text',
        'account: id integer pk, name text',
        'membership: id integer pk, user_id integer -> users, account_id integer -> account, access text',
        'note: id integer pk, account_id integer -> account, text text',
      ],
      {
        users: 'each row is a user / id',
        account: undefined,
        membership: 'user_id references public.users / user_id',
        note: 'account_id names a tenant / ',
      },
    ],
    [
      'a group by a table that says who is in it and nothing else',
      [
        'User: id text pk, email text',
        'Project: id text pk, name text',
        'UserToProject: id text pk, userId text -> User, projectId text -> Project',
        'Commit: id text pk, projectId text -> Project, summary text',
        'Badge: id text pk, name text',
        'UserBadge: id text pk, userId text -> User, badgeId text -> Badge',
        'Level: id text pk, badgeId text -> Badge',
      ],
      {
        User: 'each row is a user / id',
        Project: undefined,
        UserToProject: 'userId references public.User / userId',
        Commit: 'projectId names a tenant / ',
        Badge: undefined,
        UserBadge: 'userId references public.User / userId',
        Level: undefined,
      },
    ],
    [
      'nobody: what people only like',
      ['posts: id uuid pk, title text', 'likes: id uuid pk, user_id uuid -> auth.users, post_id uuid -> posts', 'tags: id uuid pk, post_id uuid -> posts'],
      { posts: undefined, likes: 'user_id references auth.users / user_id', tags: undefined },
    ],
    ['personal columns', ['leads: id uuid pk, email text'], { leads: 'it holds personal columns (email) / ' }],
    ['personal columns whose noun comes first', ['resenas: id uuid pk, email_autor text'], { resenas: 'it holds personal columns (email_autor) / ' }],
    [
      'keys that are called encrypted',
      ['gateways: id uuid pk, secret_key_encrypted text, public_key text'],
      { gateways: 'it holds secrets (secret_key_encrypted) / ' },
    ],
    ['nobody: a catalogue', ['plans: id uuid pk, name text, price numeric'], { plans: undefined }],
    ['nobody: a place with an address', ['restaurants: id uuid pk, address text, latitude numeric'], { restaurants: undefined }],
    [
      'nobody: what people buy or learn, beside what they act in',
      [
        'courses: id uuid pk, title text',
        'user_courses: id uuid pk, user_id uuid -> auth.users, course_id uuid -> courses, status text',
        'sections: id uuid pk, title text, course_id uuid not null -> courses',
        'labs: id uuid pk, title text',
        'user_labs: id uuid pk, user_id uuid -> auth.users, lab_id uuid -> labs, role text',
        'samples: id uuid pk, lab_id uuid not null -> labs',
      ],
      {
        courses: undefined,
        user_courses: 'user_id references auth.users / user_id',
        sections: undefined,
        labs: undefined,
        user_labs: 'user_id references auth.users / user_id',
        samples: 'lab_id names a tenant / ',
      },
    ],
    [
      'nobody: a building, but whoever lives there',
      [
        'condos: id uuid pk, name text, street_address text, zip text, budget_doc_uploaded_by uuid -> auth.users',
        'residents: id uuid pk, name text, street_address text',
      ],
      { condos: undefined, residents: 'it holds personal columns (street_address) / ' },
    ],
    ['nobody: who put a key in', ['organizations: id uuid pk, name text, api_key_set_by uuid -> auth.users'], { organizations: undefined }],
    ['nobody: who changed a setting', ['settings: id uuid pk, updated_by uuid -> auth.users'], { settings: undefined }],
    [
      'nobody: an author that is no user',
      ['authors: id uuid pk, name text', 'books: id uuid pk, author_id uuid -> authors'],
      { authors: undefined, books: undefined },
    ],
    [
      'the owner, not the reviewer',
      ['tasks: id uuid pk, reviewed_by uuid -> auth.users, assigned_to uuid -> auth.users, user_id uuid -> auth.users'],
      { tasks: 'user_id references auth.users / user_id' },
    ],
  ])('%s', (_name, lines, expected) => {
    expect(classify(...lines)).toEqual(expected)
  })

  test('columns that grant power or money', () => {
    const [profiles] = classifyUserData([table('profiles: id uuid pk -> auth.users, role text, is_admin boolean, credits integer, bio text, phone text')])
    expect(profiles?.userData).toMatchObject({ powerColumns: ['role', 'is_admin', 'credits'], personalColumns: ['phone'] })
  })
})
