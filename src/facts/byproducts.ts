const VENDORED = /(^|\/)(node_modules|vendor|third_party|bower_components|\.yarn)\//i
/** Compilers write JavaScript, styles and pages into these folders; TypeScript or SQL below them is somebody's source. */
const BUILD_OUTPUT = /(^|\/)(dist|build|out)\/(?!.*\.(ts|tsx|mts|cts|vue|svelte|astro|sql|env)$)/i
const GENERATED = /(^|\/)(\.next|\.nuxt|\.output|\.svelte-kit|\.vercel|\.netlify|storybook-static|coverage)\/|\.min\.[cm]?js$|\.bundle\.js$/i

/** Whether a file is somebody else's (`vendored`) or a tool's output (`generated`), by the conventions of the field. */
export function byproductRole(path: string): 'vendored' | 'generated' | undefined {
  if (VENDORED.test(path)) return 'vendored'
  return BUILD_OUTPUT.test(path) || GENERATED.test(path) || isHashed(path) ? 'generated' : undefined
}

const SERVED = /(?:^|\/)(?:public|static)\//
const DIGEST = /[-.]([\w-]{8})\.m?js$/
const WORDS = /^[A-Z]?[a-z]+(?:[A-Z][a-z]+)*$/

/** What a bundler wrote under a name with the digest of its content, copied to where it is served from: `public/shop/assets/index-C4GaTMg2.js`. */
function isHashed(path: string): boolean {
  const folders = path.split('/').slice(0, -1)
  const digest = /^(?:assets|chunks|static|js)$/.test(folders.at(-1) ?? '') && SERVED.test(path) ? DIGEST.exec(path)?.[1] : undefined
  return digest !== undefined && /[A-Z]/.test(digest) && !WORDS.test(digest)
}
