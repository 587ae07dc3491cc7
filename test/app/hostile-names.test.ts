import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { latestRun, type Stage, startStage } from '../support/github/start-app.ts'
import { stripeKey } from '../support/stripe-key.ts'

/** Names that a stranger chooses in a pull request from a fork, through the whole App to what GitHub is sent. */
const EVIL = '@octocat <img src=x> ![p](https://evil.example/p.png) | a | \u202Egnp \u001b[31m `x` #1 </details><!-- prelaunch:summary -->'
const SQL = (text: string) => `"${text.replaceAll('"', '').slice(0, 60)}"`

let stage: Stage
beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.stop())

/** What GitHub would interpret: fenced blocks and code taken out, of Markdown and of our own HTML. */
function interpreted(markdown: string): string {
  const out: string[] = []
  let fence = ''
  for (const line of markdown.split('\n')) {
    const ticks = /^(`{3,})/.exec(line)?.[1]
    if (fence) {
      if (line.trim() === fence) fence = ''
    } else if (ticks) fence = ticks
    else out.push(line.replace(/<code>[^<]*<\/code>/g, '').replace(/(`+)(?:(?!\1)[^`]|(?!\1(?!`))`)*\1(?!`)/g, ''))
  }
  expect(fence, 'a fenced block stays open').toBe('')
  return out.join('\n')
}

describe('file names, table names, policy names and values of a stranger', () => {
  test('are shown and never interpreted, in the check, its annotations, the comment and the review', async () => {
    const repo = stage.github.createRepository('octo/hostile')
    stage.github.push(repo, 'main', {
      'package.json': '{"name":"shop","dependencies":{"@supabase/supabase-js":"2.45.0","next":"15.0.0"}}',
      '.gitignore': '.env*\n',
    })
    await stage.settled()
    const key = stripeKey()
    repo.git.commit(
      'patch-1',
      {
        [`supabase/migrations/001_${EVIL.replaceAll('/', '')}.sql`]: `create table public.${SQL(EVIL)} (id uuid primary key, user_id uuid not null references auth.users (id), body text not null);\ncreate table public.notes (id uuid primary key, user_id uuid not null references auth.users (id), body text);\nalter table public.notes enable row level security;\ncreate policy ${SQL(`p ${EVIL}`)} on public.notes for select using (true);\n`,
        [`app/api/${EVIL.replaceAll('/', '')}/route.ts`]:
          "import { createClient } from '@supabase/supabase-js'\nconst admin = createClient(process.env.URL!, process.env.SUPABASE_SERVICE_ROLE_KEY!)\nexport async function GET() {\n  return Response.json(await admin.from('notes').select())\n}\n",
        '.env.production': `STRIPE_SECRET_KEY=${key}\n${EVIL}=${key}\nNOTE=${EVIL}\n`,
        'src/long.ts': `// prelaunch-ignore api/auth: ${EVIL}\nexport const a = '${'x'.repeat(10 << 20)}'\n`,
        'src/token.ts': `import jwt from 'jsonwebtoken'\nexport const sign = () => jwt.sign({}, process.env.JWT_SECRET || 'word') // ${EVIL}\n`,
        '.github/prelaunch.yml': `suppress: [ { check: "${'x'.repeat(50)}", subject: '@octocat', reason: "<img src=x>" } ]\n`,
      },
      { from: 'refs/heads/main', message: EVIL },
    )
    const pull = stage.github.openPullRequest(repo, { head: 'patch-1', fork: 'stranger', author: 'stranger', title: EVIL })
    await stage.settled()
    expect(stage.github.violations).toEqual([])
    const run = latestRun(stage.github, repo, pull.headSha)
    expect(run).toMatchObject({ status: 'completed', conclusion: 'failure' })
    expect(run?.output.title).toMatch(/^\d Critical problems introduced/)
    const comment = repo.comments.filter((c) => c.bot)
    expect(comment).toHaveLength(1)
    const published: string[] = [
      run?.output.summary ?? '',
      run?.output.text ?? '',
      (comment[0]?.body ?? '').replace(/^<!-- prelaunch:summary -->/, ''),
      ...repo.reviews.flatMap((r) => [r.body, ...r.comments.map((c) => c.body)]),
    ]
    expect(published[0]).toContain('octocat')
    for (const markdown of published) {
      const text = interpreted(markdown)
      expect(text).not.toMatch(/@octocat/)
      expect(text).not.toMatch(/<(?!\/?(details|summary|sub|b|code)>|details open>)/)
      expect(text).not.toMatch(/(?<!\\)!\[/)
      expect(text.replaceAll(/\(http:\/\/127\.0\.0\.1[^)]*\)/g, '').replaceAll(/\(https:\/\/github\.com\/[^)]*\)/g, '')).not.toMatch(/https?:\/\/evil/)
      expect(markdown).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u202a-\u202e\u2066-\u2069]/)
      expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(65_535)
    }
    for (const a of run?.annotations ?? []) expect(`${a.title}${a.message}${a.raw_details ?? ''}`).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u202a-\u202e]/)
    expect(JSON.stringify([run, comment, repo.reviews].map((x) => JSON.stringify(x, (k, v) => (k === 'repo' ? undefined : v))))).not.toContain(key)
  })
})
