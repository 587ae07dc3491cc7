// The documentation pages and data files belong to the build: `prelaunch explain` prints them, checks and prelude read them. The manifest is read by the set-up page.
import { cpSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
for (const file of globSync('src/**/*.{md,sql,json,gz,cjs}', { cwd: root })) cpSync(join(root, file), join(root, 'dist', file))
for (const file of ['package.json', 'app.yml']) cpSync(join(root, file), join(root, 'dist', file))
