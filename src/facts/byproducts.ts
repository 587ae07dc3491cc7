const VENDORED = /(^|\/)(node_modules|vendor|third_party|bower_components|\.yarn)\//i
/** Compilers write JavaScript, styles and pages into these folders; TypeScript or SQL below them is somebody's source. */
const BUILD_OUTPUT = /(^|\/)(dist|build|out)\/(?!.*\.(ts|tsx|mts|cts|vue|svelte|astro|sql|env)$)/i
const GENERATED = /(^|\/)(\.next|\.nuxt|\.output|\.svelte-kit|\.vercel|\.netlify|storybook-static|coverage)\/|\.min\.[cm]?js$|\.bundle\.js$/i

/** Whether a file is somebody else's (`vendored`) or a tool's output (`generated`), by the conventions of the field. */
export function byproductRole(path: string): 'vendored' | 'generated' | undefined {
  if (VENDORED.test(path)) return 'vendored'
  return BUILD_OUTPUT.test(path) || GENERATED.test(path) ? 'generated' : undefined
}
