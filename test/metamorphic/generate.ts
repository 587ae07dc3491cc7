import { DIALECTS } from './frameworks.ts'
import { HOLES } from './holes.ts'
import { type Files, REWRITES } from './rewrites.ts'

/** One application: the hole of a check, in a framework, written in a way. */
export interface Application {
  readonly name: string
  readonly framework: string
  readonly rewrite: string
  readonly check: 16 | 17 | 18 | 19
  readonly files: Files
  /** The same application without the hole. */
  readonly mended: Files
}

const DEPENDENCIES = { pg: '8.13.0', jsonwebtoken: '9.0.2', bcrypt: '5.1.1', 'rate-limiter-flexible': '5.0.4', 'tiny-store-of-ours': '1.0.0' }

/** Every hole in every framework in every way that the framework has. */
export function applications(): readonly Application[] {
  return DIALECTS.flatMap((d) =>
    REWRITES.flatMap((rewrite) =>
      HOLES.flatMap((hole) => {
        const manifest = { 'package.json': JSON.stringify({ name: 'things', private: true, dependencies: { ...d.dependencies, ...DEPENDENCIES } }) }
        const write = (body: string) => rewrite.files(d, { imports: hole.imports, body, leaf: hole.check === 18 ? 'login' : 'item' })
        const [files, mended] = [write(hole.bad(d)), write(hole.mended(d))]
        if (!files || !mended) return []
        const name = `${hole.check} in ${d.name}: ${rewrite.name}`
        return [{ name, framework: d.name, rewrite: rewrite.name, check: hole.check, files: { ...manifest, ...files }, mended: { ...manifest, ...mended } }]
      }),
    ),
  )
}
