import type { JavaScriptFacts } from '../../facts/javascript.ts'
import { collectByCodeFile } from '../../facts/questions.ts'
import { type ByFile, together, unlessEmpty } from '../../lib/memo/collect-by-file.ts'
import { rememberFor } from '../../lib/memo/memoize-by-object.ts'
import type { Place } from '../../lib/place.ts'
import { expressions } from '../frameworks/walk.ts'

/** A bucket that code names. */
export interface BucketInCode {
  readonly name: string
  readonly path: string
  readonly line: number
  /** Set when the code creates it: its public flag. */
  readonly public?: boolean
  /** Where files are put into it. */
  readonly uploads?: readonly Upload[]
}

/** Where a file is put into a bucket, and the first folder of its name where the code shows it: `posts`, what stands for it (`${roomId}`), or '' at the root. */
export interface Upload extends Place {
  readonly folder?: string
}

/** One place of a file that names a bucket. */
type Mention = Pick<BucketInCode, 'name' | 'line' | 'public'> & { readonly uploads?: true; readonly folder?: string }

type Json = { readonly [key: string]: unknown }

/** `storage.from('x')` and `createBucket('x', { public })`: each bucket once, with its first place. */
export function bucketsInCode(files: ByFile<JavaScriptFacts>): BucketInCode[] {
  const found = new Map<string, BucketInCode>()
  const tables = unambiguous(constantsByFile(files))
  const helpers = unambiguous(helpersByFile(files))
  for (const [path, calls] of callsByFile(files)) {
    if (!calls.stores && !helpers.size) continue
    for (const { uploads, folder, ...bucket } of mentionsIn(calls, tables, helpers)) {
      const before = found.get(bucket.name)
      const places = [...(before?.uploads ?? []), ...(uploads ? [{ path, line: bucket.line, ...(folder === undefined ? {} : { folder }) }] : [])]
      found.set(bucket.name, {
        ...(before ?? { ...bucket, path }),
        ...(bucket.public !== undefined ? { public: bucket.public } : {}),
        ...(places.length ? { uploads: places } : {}),
      })
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** What each name is, in whatever file; a name that two files define differently is left out. */
const unambiguous = rememberFor(<T>(byFile: ByFile<readonly (readonly [name: string, value: T])[]>): ReadonlyMap<string, T> => {
  const values = new Map<string, T>()
  const unclear = new Set<string>()
  for (const [name, value] of together(byFile)) {
    if (values.has(name) && values.get(name) !== value) unclear.add(name)
    values.set(name, value)
  }
  for (const name of unclear) values.delete(name)
  return values
}) as <T>(byFile: ByFile<readonly (readonly [name: string, value: T])[]>) => ReadonlyMap<string, T>

/** `BUCKETS.AVATARS` of `const BUCKETS = { AVATARS: 'avatars' }`. */
const constantsByFile = collectByCodeFile((_, file: JavaScriptFacts): readonly (readonly [name: string, text: string])[] | undefined => {
  const found: [string, string][] = []
  for (const s of file.functions[0]?.body ?? []) {
    if (s.k !== 'let' || s.how !== 'const' || s.to.k !== 'name') continue
    // `export const DOCUMENTS_BUCKET = 'documents'`, by a name that says so wherever it is read
    const own = /bucket/i.test(s.to.name) ? literalText(s.init as unknown as Json) : undefined
    if (own !== undefined) found.push([s.to.name, own])
    if (s.init?.k !== 'obj') continue
    for (const p of s.init.props) {
      const text = literalText(p.value as unknown as Json)
      if (p.key && text !== undefined) found.push([`${s.to.name}.${p.key}`, text])
    }
  }
  return unlessEmpty(found)
})

/** Functions that hand a parameter to `storage.from(bucket)`, by name, with the parameter's place. */
const helpersByFile = collectByCodeFile((_, file: JavaScriptFacts): readonly (readonly [name: string, parameter: number])[] | undefined => {
  const found: [string, number][] = []
  for (const fn of file.functions) {
    if (!fn.name) continue
    for (const e of expressions(fn)) {
      if (e.k !== 'call' || e.fn.k !== 'mem' || e.fn.name !== 'from' || e.fn.of.k !== 'mem' || e.fn.of.name !== 'storage') continue
      const [bucket] = e.args
      const at = bucket?.k === 'id' ? fn.params.findIndex((p) => p.k === 'name' && p.name === bucket.name) : -1
      if (at >= 0) found.push([fn.name, at])
    }
  }
  return unlessEmpty(found)
})

const literalText = (node: Json | undefined): string | undefined => (node?.['k'] === 'lit' && typeof node['v'] === 'string' ? node['v'] : undefined)

/** The first folder of a file's name in a template: `posts` of `posts/${name}`, `${room.id}` of `${room.id}/${name}`. */
function firstFolder(node: Json | undefined): string | undefined {
  const whole = literalText(node)
  if (whole !== undefined) return /^([^/]+)\//.exec(whole)?.[1] ?? ''
  if (node?.['k'] !== 'tpl') return undefined
  const quasis = node['quasis'] as readonly string[]
  const [before = '', after = ''] = quasis
  const written = /^([^/]+)\//.exec(before)?.[1]
  if (written !== undefined) return written
  // `logo-${Date.now()}.png`; what a variable at its beginning holds may be a path
  if (before !== '' && quasis.every((q) => !q.includes('/')) && (node['exprs'] as readonly Json[]).slice(0, 1).every((e) => e['k'] === 'call')) return ''
  const name =
    before === '' && after.startsWith('/') ? (dotted((node['exprs'] as readonly Json[])[0]) ?? idName((node['exprs'] as readonly Json[])[0])) : undefined
  return name === undefined ? undefined : `\${${name}}`
}

const idName = (node: Json | undefined): string | undefined => (node?.['k'] === 'id' ? String(node['name']) : undefined)

/** `BUCKETS.AVATARS` as text. */
function dotted(node: Json | undefined): string | undefined {
  const of = node?.['of'] as Json | undefined
  return node?.['k'] === 'mem' && of?.['k'] === 'id' ? `${String(of['name'])}.${String(node['name'])}` : undefined
}

/** `this.bucket` as text. */
const ownField = (node: Json | undefined): string | undefined =>
  node?.['k'] === 'mem' && (node['of'] as Json | undefined)?.['k'] === 'this' ? `this.${String(node['name'])}` : undefined

/** What a file says that may name a bucket: calls that do or that may be to a helper, in the order of the walk. */
const callsByFile = collectByCodeFile((_, file: JavaScriptFacts): Calls | undefined => {
  const constants = new Map<string, string>()
  const fields = new Map<string, readonly string[]>()
  const calls: Json[] = []
  const addressed: Mention[] = []
  const uploads = new Map<unknown, string | undefined>()
  const paths = new Map<string, Set<string | undefined>>()
  // `const bucket = db.storage.from('photos')` and `const options = { public: true }`, and what names are uploaded to
  const named = new Map<string, Json>()
  const uploadedTo = new Map<string, Json | undefined>()
  const uploadedFrom = new Map<unknown, Json | undefined>()
  const handed: { readonly name: string; readonly line: number; readonly file: Json | undefined }[] = []
  const stack: unknown[] = [file.functions, file.exports]
  while (stack.length) {
    const node = stack.pop()
    if (!node || typeof node !== 'object') continue
    if (Array.isArray(node)) {
      for (const item of node) stack.push(item)
      continue
    }
    const n = node as Json
    if (n['k'] === 'let' && n['how'] === 'const') {
      const [to, init] = [n['to'] as Json, n['init'] as Json | undefined]
      if (to?.['k'] === 'name' && init?.['k'] === 'lit' && typeof init['v'] === 'string') constants.set(String(to['name']), init['v'])
      if (to?.['k'] === 'name') paths.set(String(to['name']), (paths.get(String(to['name'])) ?? new Set()).add(firstFolder(init)))
      if (to?.['k'] === 'name' && (init?.['k'] === 'call' || init?.['k'] === 'obj')) named.set(String(to['name']), init)
    }
    const field = n['how'] === 'field' ? literalText(n['value'] as Json | undefined) : undefined
    if (field !== undefined) fields.set(`this.${String(n['name'])}`, [...(fields.get(`this.${String(n['name'])}`) ?? []), field])
    if (n['k'] === 'call') {
      calls.push(n)
      const upload = handedOver(n)
      if (upload) handed.push(upload)
      const fn = n['fn'] as Json
      if (fn?.['k'] === 'mem' && /^(upload|uploadToSignedUrl|createSignedUploadUrl|update)$/.test(String(fn['name']))) {
        const of = fn['of'] as Json
        const [name] = (n['args'] ?? []) as readonly Json[]
        if (of['k'] === 'id') uploadedTo.set(String(of['name']), name)
        else uploadedFrom.set(of, name)
      }
    }
    for (const text of textsOf(n)) {
      // a picture that is named with its host may be another project's
      const name = /^https?:/i.test(text) ? undefined : STORED_AT.exec(text)?.[1]
      if (name !== undefined) addressed.push({ name, line: Number(n['l']) })
    }
    for (const value of Object.values(n)) if (value && typeof value === 'object') stack.push(value)
  }
  for (const [name, file] of uploadedTo) uploadedFrom.set(named.get(name), file)
  const folderOf = (file: Json | undefined): string | undefined => {
    // a name that several functions give to different paths says nothing
    const kept = file?.['k'] === 'id' ? [...(paths.get(String(file['name'])) ?? [])] : [firstFolder(file)]
    return kept.length === 1 ? kept[0] : undefined
  }
  for (const [of, file] of uploadedFrom) uploads.set(of, folderOf(file))
  for (const { name, line, file } of handed) {
    const folder = folderOf(file)
    addressed.push({ name, line, uploads: true, ...(folder === undefined ? {} : { folder }) })
  }

  // two classes of a file may call different buckets the same
  for (const [name, texts] of fields) if (new Set(texts).size === 1) constants.set(name, texts[0] as string)
  const mayName = (fn: Json | undefined) => fn?.['k'] === 'id' || (fn?.['k'] === 'mem' && (fn['name'] === 'createBucket' || isStorage(fn)))
  const naming = calls.filter((c) => mayName(c['fn'] as Json))
  if (!naming.length && !addressed.length) return undefined
  return { constants, named, uploads, calls: naming, addressed, stores: addressed.length > 0 || naming.some((c) => (c['fn'] as Json)['k'] === 'mem') }
})

/** `resumableUpload({ bucket: 'films', path, file })`: whatever uploads there, it is told the bucket and the file's name. */
function handedOver(call: Json): { readonly name: string; readonly line: number; readonly file: Json | undefined } | undefined {
  const fn = call['fn'] as Json | undefined
  const [options] = (call['args'] ?? []) as readonly Json[]
  if (!/upload/i.test(String(fn?.['name'] ?? '')) || options?.['k'] !== 'obj') return undefined
  const props = (options['props'] ?? []) as readonly Json[]
  const given = (names: RegExp) => props.find((p) => names.test(String(p['key'] ?? '')))?.['value'] as Json | undefined
  const name = literalText(given(/^bucket(?:_?(?:name|id))?$/i))
  const file = given(/^(?:(?:file|object|storage|target)_?)?(?:path|name|key)$/i)
  return name === undefined || !file || !/^[a-z0-9][\w-]*$/i.test(name) ? undefined : { name, line: Number(call['l']), file }
}

interface Calls {
  readonly constants: ReadonlyMap<string, string>
  /** Calls and objects that the file keeps under a name. */
  readonly named: ReadonlyMap<string, Json>
  readonly uploads: ReadonlyMap<unknown, string | undefined>
  readonly calls: readonly Json[]
  /** Addresses of the storage API. */
  readonly addressed: readonly Mention[]
  /** One of them speaks of storage itself. */
  readonly stores: boolean
}

/** `fetch(url + '/storage/v1/object/photos/' + name)`, also for reading in public, by a signed address or through the resizer. */
const STORED_AT =
  /\/storage\/v1\/(?:object|render\/image)\/(?:(?:public|sign|authenticated|list|info|upload\/sign)\/)?(?!(?:public|sign|authenticated|list|info|upload)(?:\/|$))([a-z0-9][\w-]{0,60}[a-z0-9])(?:\/|$)/i

/** The texts that stand in a literal or between the parts of a template. */
function textsOf(n: Json): readonly string[] {
  if (n['k'] === 'tpl') return n['quasis'] as readonly string[]
  return n['k'] === 'lit' && typeof n['v'] === 'string' ? [n['v']] : []
}

const isStorage = (fn: Json) => fn['name'] === 'from' && (fn['of'] as Json | undefined)?.['k'] === 'mem' && (fn['of'] as Json)['name'] === 'storage'

const mentionsIn = rememberFor(
  ({ constants, named, uploads, calls, addressed }: Calls, tables: ReadonlyMap<string, string>, helpers: ReadonlyMap<string, number>): Mention[] => {
    const found: Mention[] = [...addressed]
    const text = (node: Json | undefined) =>
      literalText(node) ??
      (node?.['k'] === 'id' ? (constants.get(String(node['name'])) ?? tables.get(String(node['name']))) : constants.get(ownField(node) ?? '')) ??
      tables.get(dotted(node) ?? '')
    for (const call of calls) {
      const fn = call['fn'] as Json
      const args = (call['args'] ?? []) as readonly Json[]
      const helper = fn?.['k'] === 'id' ? helpers.get(String(fn['name'])) : undefined
      const given = helper === undefined ? undefined : text(args[helper])
      if (given) found.push({ name: given, line: Number(call['l']) })
      if (fn?.['k'] !== 'mem') continue
      const name = text(args[0])
      if (!name) continue
      const folder = uploads.get(call)
      const put = uploads.has(call) ? { uploads: true as const, ...(folder === undefined ? {} : { folder }) } : {}
      if (isStorage(fn)) found.push({ name, line: Number(call['l']), ...put })
      if (fn['name'] === 'createBucket') {
        const given = args[1]?.['k'] === 'id' ? named.get(String(args[1]['name'])) : args[1]
        const options = given?.['k'] === 'obj' ? (given['props'] as readonly Json[]) : []
        const flag = options.find((p) => p['key'] === 'public')?.['value'] as Json | undefined
        found.push({ name, line: Number(call['l']), public: flag?.['v'] === true })
      }
    }
    return found.sort((a, b) => a.line - b.line)
  },
)
