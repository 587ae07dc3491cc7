import { readFileSync } from 'node:fs'

const PRELUDE_PARTS = ['platform-answers', 'roles', 'auth', 'storage', 'services', 'done']

/** The platform's own objects, as SQL, in order. */
export function preludeSql(): string[] {
  return PRELUDE_PARTS.map((name) => readFileSync(new URL(`./prelude/${name}.sql`, import.meta.url), 'utf8'))
}
