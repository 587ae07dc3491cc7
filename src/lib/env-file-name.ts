/** `.env`, `.env.local`, `production.env`, `.dev.vars`, templates included; not `*.env.ts`, `env.d.ts`. */
export function isEnvFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  if (/\.(ts|js|mjs|cjs|tsx|jsx|md|mdx|py|go|rs|php|rb|sh|sql|html|css|yml|yaml|toml)$/.test(name)) return false
  return name === '.env' || name.startsWith('.env.') || name.startsWith('.env-') || name.endsWith('.env') || name.startsWith('.dev.vars')
}

/** Templates that are committed on purpose: `.env.example`, `.env.sample`, `.env.template`, `.env.dist`, … */
export function isEnvTemplate(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  return isEnvFile(path) && /(^|[._-])(example|sample|template|tmpl|tpl|dist|defaults?|schema)($|[._-])/.test(name)
}
