import type { Extractor } from '../facts.ts'
import { configFile } from './config-file/config-file.ts'
import { envFile } from './env-file/env-file.ts'
import { gitignore } from './gitignore/gitignore.ts'
import { javascript } from './javascript/javascript.ts'
import { lockfile } from './lockfile/lockfile.ts'
import { packageJson } from './package-json/package-json.ts'
import { secrets } from './secrets/secrets.ts'
import { sql } from './sql/sql.ts'
import { text } from './text/text.ts'

/** Every extractor. A file may be read by several. */
export const EXTRACTORS = [javascript, sql, envFile, gitignore, packageJson, configFile, lockfile, secrets, text] as unknown as readonly Extractor[]
