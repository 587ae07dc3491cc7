import type { GitHubServer } from '../../test/support/github/server.ts'
import type { Repo } from '../../test/support/github/state.ts'

/** A pull request whose verdict is waited for. */
export interface Opened {
  readonly repo: Repo
  readonly number: number
  headSha: string
  /** When its newest commit was announced. */
  at: number
}

/** Files of each repository besides its schema. */
const MODULES = 100
/** One pull request in so many changes the schema, which has the database replayed. */
const SCHEMA_EVERY = 10

/** Applications of a hundred files with a schema, and people who open pull requests there. */
export class Traffic {
  readonly opened: Opened[] = []
  readonly #github: GitHubServer
  readonly #repositories: readonly Repo[]

  /** Creates the repositories of one account and announces their first commits, each of which is audited in full. */
  constructor(github: GitHubServer, repositories: number, owner = 'load') {
    this.#github = github
    this.#repositories = Array.from({ length: repositories }, (_, i) => {
      const repo = github.createRepository(`${owner}/repo-${i}`)
      const files: Record<string, string> = {
        'package.json': '{"dependencies":{"@supabase/supabase-js":"2"}}',
        '.gitignore': '.env*\n',
        'supabase/migrations/001.sql': table(0),
      }
      for (let n = 0; n < MODULES; n++) files[`src/module-${n}.ts`] = `export const value${n} = ${n}\n`
      github.push(repo, 'main', files)
      return repo
    })
  }

  get repositories(): readonly Repo[] {
    return this.#repositories
  }

  /** Somebody opens a pull request. */
  open(): Opened {
    const i = this.opened.length
    const repo = this.#repositories[i % this.#repositories.length] as Repo
    repo.git.commit(`feature-${i}`, this.#change(i), { from: 'refs/heads/main' })
    const { number, headSha } = this.#github.openPullRequest(repo, { head: `feature-${i}` })
    const opened: Opened = { repo, number, headSha, at: Date.now() }
    this.opened.push(opened)
    return opened
  }

  /** Somebody pushes a further commit to a pull request. */
  amend(opened: Opened): void {
    const i = this.opened.indexOf(opened)
    opened.headSha = this.#github.push(opened.repo, `feature-${i}`, { [`src/amended-${i}.ts`]: `export const amended = ${Date.now()}\n` })
    opened.at = Date.now()
  }

  #change(i: number): Record<string, string> {
    const code = { [`src/module-${i % MODULES}.ts`]: `export const changed = ${i}\n` }
    return i % SCHEMA_EVERY ? code : { ...code, [`supabase/migrations/${100 + i}.sql`]: table(100 + i) }
  }
}

function table(i: number): string {
  return `create table public.t${i} (id uuid primary key, user_id uuid references auth.users (id));\nalter table public.t${i} enable row level security;\n`
}
