// The documentation pages and data files belong to the build: `prelaunch explain` prints them, checks and prelude read them.
import { cpSync, globSync } from 'node:fs'
import { join } from 'node:path'

const root = new URL('..', import.meta.url).pathname
for (const file of globSync('src/**/*.{md,sql,json,gz,cjs}', { cwd: root })) cpSync(join(root, file), join(root, 'dist', file))
cpSync(join(root, 'package.json'), join(root, 'dist', 'package.json'))
