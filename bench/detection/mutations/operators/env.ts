import { adding, isCode, isServerScript, type Operator, type Plant, replacing, usesSupabase } from '../plant.ts'
import { jwt, LIVE_KEY, PROJECT } from '../secrets.ts'

/** In a Next application, where the prefix puts a variable into the bundle. */
const inNext =
  (...change: Parameters<typeof replacing>): Plant =>
  (files) =>
    [...files].some(([p, t]) => p.endsWith('package.json') && /"next":/.test(t)) ? replacing(...change)(files) : []
const isTemplate = (p: string) => /\.env\.(example|sample|template)$/.test(p)

/** Checks 12 to 15: environment variables. */
export const ENV: readonly Operator[] = [
  { check: 12, name: 'a public database URL in the template', plant: replacing(isTemplate, /$/, '\nNEXT_PUBLIC_DATABASE_URL=\n') },
  { check: 12, name: 'code reads a public database URL', plant: replacing(isServerScript, /^/, 'const url = process.env.VITE_DATABASE_URL\n') },
  {
    check: 12,
    name: 'a compose file sets one',
    plant: adding('docker-compose.yml', 'services:\n  web:\n    image: app\n    environment:\n      NEXT_PUBLIC_POSTGRES_URL: ${POSTGRES_URL}\n'),
  },
  {
    check: 13,
    name: 'the service role under a public prefix',
    plant: inNext(isCode, /process\.env\.SUPABASE_SERVICE_ROLE_KEY/g, 'process.env.NEXT_PUBLIC_SUPABASE_SERVICE_ROLE_KEY'),
    also: [5],
  },
  {
    check: 13,
    name: 'the payment secret under a public prefix',
    plant: inNext(isCode, /process\.env\.STRIPE_SECRET_KEY/g, 'process.env.NEXT_PUBLIC_STRIPE_SECRET_KEY'),
  },
  { check: 13, name: 'a public AI key in the template', plant: replacing(isTemplate, /$/, '\nVITE_OPENAI_API_KEY=\n') },
  { check: 14, name: 'an env file with a secret is committed', plant: adding('.env.production', `STRIPE_SECRET_KEY=${LIVE_KEY}\n`) },
  {
    check: 14,
    name: 'an env file with a token of the service role is committed',
    plant: adding('config/.env.local', `SUPABASE_SERVICE_ROLE_KEY=${jwt('service_role')}\n`),
  },
  {
    check: 14,
    name: 'the ignore file lets env files in',
    plant: replacing(
      (p) => p === '.gitignore',
      /^[*.]*\.env.*$/gm,
      '',
      (text) => /^(\.env(\.?\*)\s*$|\*\.env)/m.test(text),
    ),
  },
  {
    check: 15,
    name: 'one project for development and production',
    plant: adding(
      'netlify.toml',
      `[context.production.environment]\nNEXT_PUBLIC_SUPABASE_URL = "${PROJECT}"\n\n[context.dev.environment]\nNEXT_PUBLIC_SUPABASE_URL = "${PROJECT}"\n`,
      usesSupabase,
    ),
  },
  {
    check: 15,
    name: 'a workflow deploys both environments to one project',
    plant: adding(
      '.github/workflows/planted-deploy.yml',
      `on: push\njobs:\n  development:\n    environment: development\n    runs-on: ubuntu-latest\n    env:\n      SUPABASE_URL: ${PROJECT}\n    steps:\n      - run: npm run deploy\n  production:\n    environment: production\n    runs-on: ubuntu-latest\n    env:\n      SUPABASE_URL: ${PROJECT}\n    steps:\n      - run: npm run deploy\n`,
      usesSupabase,
    ),
  },
  {
    check: 15,
    name: 'one project in the source',
    plant: replacing(
      isCode,
      /process\.env\.NEXT_PUBLIC_SUPABASE_URL(!| as string)?(,\s*)process\.env\.NEXT_PUBLIC_SUPABASE_(ANON|PUBLISHABLE)_KEY(!| as string)?/,
      (...m) => `'${PROJECT}'${m[2]}'${jwt('anon')}'`,
    ),
  },
]
