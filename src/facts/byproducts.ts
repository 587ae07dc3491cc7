import { isServedForCertain, withoutAddress } from '../lexicon/served-paths.ts'
import { Lately } from '../lib/memo/recent-values.ts'

const VENDORED = /(^|\/)(node_modules|third_party|bower_components|\.yarn|\.npm\/_\w{1,30}|\.pnpm-store|\.npm-cache|\.yarn-cache)\//i
/** Where an application keeps its own code by what it is about: a market place has pages, routes and components of its vendors. */
const OURS = /^(?:app|pages|routes?|api|server|controllers?|components?|features?|modules|views|screens|hooks|services|actions)$/i
const TYPESCRIPT = /(?<!\.d)\.[cm]?tsx?$/
/** What is copied from others stands beside these files, not beside pages. */
const SERVED_AS_IT_IS = /^(?:assets|static|public|js|javascripts?|css|styles?|libs?|plugins?)$/i
/** Compilers write JavaScript, styles and pages into these folders; TypeScript or SQL below them is somebody's source. */
const BUILD_OUTPUT = /(^|\/)(dist|build|out|coverage)\/(?!.*\.(ts|tsx|mts|cts|vue|svelte|astro|sql|env)$)/i
const BUILD_OUTPUT_PATH =
  /(^|\/)(\.next|\.nuxt|\.output|\.svelte-kit|\.vercel|\.netlify|storybook-static|_expo\/static)\/|[-.][0-9a-f]{16,64}\.m?js$|\.min\.[cm]?js$|\.bundle\.js$/i

/** Whether a file is somebody else's (`vendored`) or a tool's output (`generated`), by the conventions of the field. */
export function byproductRole(path: string): Byproduct | undefined {
  const role = roles.get(path) ?? roles.set(path, roleOf(path))
  return role === 'own' ? undefined : role
}

type Byproduct = 'vendored' | 'generated'
const roles = new Lately<Byproduct | 'own'>()

/** A framework serves what lies below its routing root, whatever the folders of the address are called. */
function roleOf(file: string): Byproduct | 'own' {
  const path = isServedForCertain(file) ? withoutAddress(file) : file
  if (VENDORED.test(path) || isInVendorFolder(path)) return 'vendored'
  return BUILD_OUTPUT.test(path) || BUILD_OUTPUT_PATH.test(path) || isHashed(path) ? 'generated' : 'own'
}

function isInVendorFolder(path: string): boolean {
  if (!/(?:^|\/)vendor\//i.test(path)) return false
  const folders = path.split('/').slice(0, -1)
  const vendor = folders.findIndex((f) => /^vendor$/i.test(f))
  // `src/lib/vendor/profile.ts`: what is copied from others comes as JavaScript
  if (TYPESCRIPT.test(path) && folders.slice(0, vendor - 1).includes('src')) return false
  return !folders.slice(0, vendor).some((f) => OURS.test(f)) || SERVED_AS_IT_IS.test(folders[vendor - 1] ?? '')
}

const SERVED = /(?:^|\/)(?:public|static)\//
const CONTENT_HASH_IN_NAME = /[-.]([\w-]{8})\.m?js$/
const CAMEL_CASE_WORDS = /^[A-Z]?[a-z]+(?:[A-Z][a-z]+)*$/

/** What a bundler wrote under a name with the digest of its content, copied to where it is served from: `public/shop/assets/index-C4GaTMg2.js`. */
function isHashed(path: string): boolean {
  const folders = path.split('/').slice(0, -1)
  const digest = /^(?:assets|chunks|static|js)$/.test(folders.at(-1) ?? '') && SERVED.test(path) ? CONTENT_HASH_IN_NAME.exec(path)?.[1] : undefined
  return digest !== undefined && /[A-Z]/.test(digest) && !CAMEL_CASE_WORDS.test(digest)
}
