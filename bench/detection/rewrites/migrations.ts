import type { Rewrite } from './rewrite.ts'

const POLICY = /^[ \t]*create\s+policy\s[^;$]*;/gim

const inSql = (name: string, rewrite: (text: string) => string): Rewrite => ({
  name,
  rewrite(path, text) {
    if (!/\.sql$/i.test(path)) return undefined
    const next = rewrite(text)
    return next === text ? undefined : next
  },
})

/** `create policy …` → `do $$ begin create policy …; exception when duplicate_object then null; end $$;` */
const guarded = inSql('policies in blocks', (text) =>
  text.includes('$rw$') ? text : text.replace(POLICY, (p) => `do $rw$ begin ${p.trim()} exception when duplicate_object then null; end $rw$;`),
)
/** `auth.uid()` → `(select auth.uid())`, in policies. */
const selected = inSql('the caller in a sub-query', (text) => text.replace(POLICY, (p) => p.replace(/(?<!select\s)auth\.uid\(\)/gi, '(select auth.uid())')))
/** `auth.uid() = user_id` → `user_id = auth.uid()`, in policies. */
const turned = inSql('comparisons turned round', (text) =>
  text.replace(POLICY, (p) => p.replace(/auth\.uid\(\)\s*=\s*("?\w+"?(?:\."?\w+"?){0,2})(?![\w.(])/gi, '$1 = auth.uid()')),
)
/** `using (e)` → `using (not (not (e)))`: the same to the database, another text. */
const doubled = inSql('conditions denied twice', (text) =>
  text.replace(POLICY, (p) => p.replace(/\busing\s*\(\s*auth\.uid\(\)\s*=\s*(\w+)\s*\)/gi, 'using (not (auth.uid() is distinct from $1))')),
)

export const MIGRATIONS: readonly Rewrite[] = [guarded, selected, turned, doubled]
