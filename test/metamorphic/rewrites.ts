import type { Dialect } from './frameworks.ts'

/** A handler to be written down: its imports and its body, which uses `db`. */
export interface Written {
  readonly imports: string
  readonly body: string
  /** The last part of the address: `login` for what signs in. */
  readonly leaf: string
}

/** The files of an application in which the handler is written in one way. */
export type Files = Readonly<Record<string, string>>

/** One way to write the same application; undefined where the framework has no such way. */
export interface Rewrite {
  readonly name: string
  readonly files: (d: Dialect, w: Written) => Files | undefined
}

const POOL = "import pg from 'pg'\nexport const db = new pg.Pool({ connectionString: process.env.DATABASE_URL })\n"
const address = (w: Written): string => `/things/${w.leaf}`

/** The folder of controllers, seen from the server of a framework. */
const from = (d: Dialect): string => (d.server.startsWith('app/') ? '../../../../src' : '.')

/** A controller of its own file, and the expression by which the server means it. */
function controlled(d: Dialect, w: Written, controller: string, lines: string, handler: string, more: Files = {}): Files {
  return {
    'src/db.js': POOL,
    'src/controller.js': controller,
    [d.server.replace('LEAF', w.leaf)]: d.register
      ? d.serve(lines, d.register('post', address(w), handler))
      : (d.file as NonNullable<Dialect['file']>)(lines, handler, w.leaf),
    ...more,
  }
}

const head = (w: Written): string => `${w.imports}\nimport { db } from './db.js'\n`
const fn = (d: Dialect, w: Written, name = ''): string => `async function ${name}(${d.params}) {\n  ${w.body}\n}`
const arrow = (d: Dialect, w: Written): string => `async (${d.params}) => {\n  ${w.body}\n}`

/** A controller that is an ES module. */
const module = (
  name: string,
  controller: (d: Dialect, w: Written) => string,
  lines: (d: Dialect) => string,
  handler: string,
  more: (d: Dialect) => Files = () => ({}),
): Rewrite => ({
  name,
  files: (d, w) => controlled(d, w, controller(d, w), lines(d), handler, more(d)),
})

const requires = (imports: string): string => imports.replace(/import (\w+|\{[^}]+\}) from ('[^']+')/g, 'const $1 = require($2)')

/** A controller that is a CommonJS module, where the framework runs in one. */
const commonJs = (name: string, exported: (d: Dialect, w: Written) => string, handler = 'controller.handle'): Rewrite => ({
  name,
  files: (d, w) =>
    d.commonJs
      ? Object.fromEntries(
          Object.entries(
            controlled(d, w, `${w.imports}\nimport { db } from './db.js'\n${exported(d, w)}\n`, "import controller from './controller.js'", handler),
          ).map(([path, text]) => [path, requires(text).replace('export const db =', 'exports.db =').replace('export default app', 'module.exports = app')]),
        )
      : undefined,
})

/** Registration by code that is no single call. */
const registered = (name: string, registration: (address: string) => string): Rewrite => ({
  name,
  files: (d, w) =>
    d.register
      ? {
          'src/db.js': POOL,
          'src/controller.js': `${head(w)}export ${fn(d, w, 'handle')}\n`,
          [d.server]: d.serve("import { handle } from './controller.js'", registration(address(w))),
        }
      : undefined,
})

const named = (d: Dialect): string => `import { handle } from '${from(d)}/controller.js'`
const made = (d: Dialect): string => `import { Things } from '${from(d)}/controller.js'\nimport { db } from '${from(d)}/db.js'\nconst things = new Things(db)`

/** Ways to write a handler and to register it that change nothing about what it does. */
export const REWRITES: readonly Rewrite[] = [
  { name: 'inline', files: (d, w) => ({ ...controlled(d, w, '', `${w.imports}\nimport { db } from '${from(d)}/db.js'`, arrow(d, w)) }) },
  module('imported function', (d, w) => `${head(w)}export ${fn(d, w, 'handle')}\n`, named, 'handle'),
  module('constructor function', (d, w) => `${w.imports}\nexport function Things(db) {\n  this.handle = ${arrow(d, w)}\n}\n`, made, 'things.handle'),
  module(
    'constructor with self',
    (d, w) => `${w.imports}\nexport function Things(db) {\n  const self = this\n  self.handle = ${arrow(d, w)}\n}\n`,
    made,
    'things.handle',
  ),
  module('prototype', (d, w) => `${head(w)}export function Things() {}\nThings.prototype.handle = ${fn(d, w)}\n`, made, 'things.handle'),
  module(
    'prototype bound',
    (d, w) => `${head(w)}export function Things() {}\nThings.prototype = { handle: ${fn(d, w)} }\n`,
    made,
    'things.handle.bind(things)',
  ),
  module(
    'class',
    (d, w) =>
      `${w.imports}\nexport class Things {\n  constructor(db) { this.db = db }\n  async handle(${d.params}) {\n  const db = this.db\n  ${w.body}\n}\n}\n`,
    made,
    `things.handle.bind(things)`,
  ),
  module(
    'bound in constructor',
    (d, w) => `${head(w)}export class Things {\n  constructor() { this.handle = this.handle.bind(this) }\n  async handle(${d.params}) {\n  ${w.body}\n}\n}\n`,
    made,
    'things.handle',
  ),
  module('class property', (d, w) => `${head(w)}export class Things {\n  handle = ${arrow(d, w)}\n}\n`, made, 'things.handle'),
  module(
    'static method',
    (d, w) => `${head(w)}export class Things {\n  static async handle(${d.params}) {\n  ${w.body}\n}\n}\n`,
    (d) => `import { Things } from '${from(d)}/controller.js'`,
    'Things.handle',
  ),
  module(
    'factory, late declaration',
    (d, w) => `${w.imports}\nexport function make(db) {\n  return { handle }\n  ${fn(d, w, 'handle')}\n}\n`,
    (d) => `import { make } from '${from(d)}/controller.js'\nimport { db } from '${from(d)}/db.js'\nconst things = make(db)`,
    'things.handle',
  ),
  module(
    'curried',
    (d, w) => `${w.imports}\nexport const make = (db) => ${arrow(d, w)}\n`,
    (d) => `import { make } from '${from(d)}/controller.js'\nimport { db } from '${from(d)}/db.js'`,
    'make(db)',
  ),
  module(
    'promise wrapper',
    (d, w) =>
      `${w.imports}\nimport { db as pool } from './db.js'\nconst db = { query: (text, values) => new Promise((resolve, reject) => pool.query(text, values, (error, result) => (error ? reject(error) : resolve(result)))) }\nexport ${fn(d, w, 'handle')}\n`,
    named,
    'handle',
  ),
  module(
    'promisify',
    (d, w) =>
      `${w.imports}\nimport { promisify } from 'node:util'\nimport { db as pool } from './db.js'\nconst db = { query: promisify(pool.query).bind(pool) }\nexport ${fn(d, w, 'handle')}\n`,
    named,
    'handle',
  ),
  module(
    'barrel',
    (d, w) => `${head(w)}export ${fn(d, w, 'handle')}\n`,
    (d) => `import { handle } from '${from(d)}/index.js'`,
    'handle',
    () => ({ 'src/index.js': "export * from './controller.js'\n" }),
  ),
  module(
    'renamed barrel',
    (d, w) => `${head(w)}export default ${fn(d, w)}\n`,
    (d) => `import { run } from '${from(d)}/index.js'`,
    'run',
    () => ({ 'src/index.js': "export { default as run } from './controller.js'\n" }),
  ),
  module(
    'higher-order wrapper',
    (d, w) => `${head(w)}export ${fn(d, w, 'handle')}\n`,
    (d) =>
      `${named(d)}\nconst wrap = (inner) => async (...args) => {\n  try { return await inner(...args) } catch (error) { console.error(error); throw error }\n}`,
    'wrap(handle)',
  ),
  module(
    'renamed driver',
    (d, w) =>
      `${w.imports}\nimport { db as connection } from './db.js'\nconst store = { run: (...args) => connection.query(...args) }\nexport ${fn(d, { ...w, body: w.body.replaceAll('db.query', 'store.run') }, 'handle')}\n`,
    named,
    'handle',
  ),
  module(
    'Object.assign',
    (d, w) => `${head(w)}${fn(d, w, 'handle')}\nexport const things = Object.assign({}, { handle })\n`,
    (d) => `import { things } from '${from(d)}/controller.js'`,
    'things.handle',
  ),
  module(
    'spread object',
    (d, w) => `${head(w)}${fn(d, w, 'handle')}\nconst base = { handle }\nexport const things = { ...base }\n`,
    (d) => `import { things } from '${from(d)}/controller.js'`,
    'things.handle',
  ),
  module(
    'assigned later',
    (d, w) => `${head(w)}export const things = {}\nthings.handle = ${fn(d, w)}\n`,
    (d) => `import { things } from '${from(d)}/controller.js'`,
    'things.handle',
  ),
  module(
    'computed name',
    (d, w) => `${head(w)}export const things = { ['handle']: ${fn(d, w)} }\n`,
    (d) => `import { things } from '${from(d)}/controller.js'`,
    "things['handle']",
  ),
  module(
    'unknown driver',
    (d, w) => `${w.imports}\nimport { connect } from 'tiny-store-of-ours'\nconst db = connect(process.env.DATABASE_URL)\nexport ${fn(d, w, 'handle')}\n`,
    named,
    'handle',
  ),
  commonJs('module.exports object', (d, w) => `${fn(d, w, 'handle')}\nmodule.exports = { handle }`),
  commonJs('module.exports name', (d, w) => `module.exports.handle = ${fn(d, w)}`),
  commonJs('exports name', (d, w) => `exports.handle = ${fn(d, w)}`),
  commonJs('exports = module.exports object', (d, w) => `${fn(d, w, 'handle')}\nexports = module.exports = { handle }`),
  commonJs('module.exports = exports = {}', (d, w) => `module.exports = exports = {}\nexports.handle = ${fn(d, w)}`),
  commonJs('const exported = module.exports', (d, w) => `const exported = module.exports = {}\nexported.handle = ${fn(d, w)}`),
  commonJs('literal require', (d, w) => `exports.handle = ${fn(d, w)}`, "require('./controller.js').handle"),
  commonJs('constructor module', (d, w) => `function Things() {\n  this.handle = ${arrow(d, w)}\n}\nmodule.exports = Things`, '(new controller()).handle'),
  commonJs('singleton of a constructor', (d, w) => `function Things() {}\nThings.prototype.handle = ${fn(d, w)}\nmodule.exports = new Things()`),
  registered('loop over an array', (path) => `const routes = [{ path: '${path}', run: handle }]\nfor (const { path, run } of routes) app.post(path, run)`),
  registered('loop over tuples', (path) => `const routes = [['post', '${path}', handle]]\nfor (const [method, path, run] of routes) app[method](path, run)`),
  registered('forEach over tuples', (path) => `const routes = [['${path}', handle]]\nroutes.forEach(([path, run]) => app.post(path, run))`),
  registered('loop over an object', (path) => `const routes = { '${path}': handle }\nfor (const [path, run] of Object.entries(routes)) app.post(path, run)`),
  registered('keys of an object', (path) => `const routes = { '${path}': handle }\nfor (const path in routes) app.post(path, routes[path])`),
  registered('Object.keys().forEach', (path) => `const routes = { '${path}': handle }\nObject.keys(routes).forEach((path) => app.post(path, routes[path]))`),
  registered('loop over a Map', (path) => `const routes = new Map([['${path}', handle]])\nfor (const [path, run] of routes) app.post(path, run)`),
  registered(
    'indexed loop',
    (path) => `const routes = [{ path: '${path}', run: handle }]\nfor (let i = 0; i < routes.length; i++) app.post(routes[i].path, routes[i].run)`,
  ),
  registered('helper', (path) => `function add(server, path, run) { server.post(path, run) }\nadd(app, '${path}', handle)`),
  registered('helper over closure', (path) => `const add = (path, run) => app.post(path, run)\nadd('${path}', handle)`),
  registered('bound method of the router', (path) => `const post = app.post.bind(app)\npost('${path}', handle)`),
  registered('alias of the router', (path) => `const server2 = app\nserver2.post('${path}', handle)`),
  registered('computed method', (path) => `app['post']('${path}', handle)`),
]
