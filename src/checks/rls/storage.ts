import { ident } from '../../database/access/sql.ts'
import type { Bucket, Hole } from '../../database/database.ts'
import type { Place } from '../../lib/place.ts'
import { plural } from '../../lib/plural.ts'
import { withCapital } from '../../lib/with-capital.ts'
import type { AppModel } from '../../model/app-model.ts'
import type { BucketInCode, Upload } from '../../model/schema/buckets-in-code.ts'
import { defineCheck, type Fix, failed, type Issue, notApplicable, type Outcome, passed, type Severity, unverified } from '../define-check.ts'
import { everybody, fixOf, listed, policySubject, whoGetsIn, why } from './messages/rls.ts'
import { oneForEachFix } from './shared/merge-by-fix.ts'
import type { FoundIn } from './shared/merge-by-helper.ts'

type Model = Pick<AppModel, 'schema' | 'access' | 'declared' | 'modules' | 'routes'>

/** Files that are made to be seen by everybody. */
const PLAINLY_PUBLIC =
  /avatar|logo|profile|product|image|img|photo|picture|public|banner|cover|thumb|asset|gallery|icon|media|blog|post|brand|hero|static|menu|listing|propert|room|event|course|recipe|sticker|emoji|badge|video/i
const PRIVATE =
  /document|doc(s|uments)?$|receipt|upload|(^|[-_])ids?([-_]|$)|identit|passport|invoice|contract|resume|(^|[-_])cvs?([-_]|$)|attachment|private|kyc|medical|health|patient|verification|licen[cs]e|report|statement|signature|backup|export|tax|evidence|proof|recording|chat|message|(^|[-_])support|ticket|complaint|dispute|(^|[-_])files?([-_]|$)/i

export default defineCheck({
  number: 6,
  id: 'rls/storage',
  category: 'RLS',
  rule: 'Storage bucket policies exist per bucket. They are not open to all authenticated users. Users read and write only inside their own folder.',
  needs: ['schema', 'access', 'declared', 'modules', 'routes'],
  doubtedBy: ['bucket', 'policy'],
  run(model): Outcome {
    const { schema } = model
    const inCode = schema.bucketsInCode ?? []
    const holes = (model.access.holes ?? []).filter((h) => h.object === 'storage.objects')
    const policies = schema.policies.filter((p) => p.schema === 'storage' && p.table === 'objects')
    if (!schema.buckets.length && !inCode.length && !policies.length) return notApplicable('the application uses no storage bucket')
    const issues = [
      ...oneForEachFix(groups(holes).flatMap((group) => policyIssue(model, group) ?? [])).map((f) => f.issue),
      ...schema.buckets.map((b) => publicBucketIssue(model, b)),
      ...inCode.map((b) => codeBucketIssue(model, b)),
      ...unnamedBuckets(model),
    ].filter((i) => i !== undefined)
    const names = [...new Set([...schema.buckets.map((b) => b.name), ...inCode.map((b) => b.name)])].sort()
    const evidence = [`${plural(names.length, 'bucket')} (${listed(names)}) and ${plural(policies.length, 'policy', 'policies')} on storage.objects looked at`]
    if (issues.length) return failed(issues, evidence)
    const unseen = inCode.filter((b) => !schema.buckets.some((s) => s.name === b.name) && !model.access.storage?.some((p) => p.bucket === b.name))
    if (unseen.length || !schema.speaksOfStorage) {
      const which = unseen.length ? [...new Set(unseen.map((b) => b.name))] : names
      return unverified(
        `no SQL in the repository shows the policies of ${listed(which)}`,
        {
          where: 'the Supabase dashboard, Storage > Policies',
          attest: `that ${listed(which)} ${which.length === 1 ? 'is' : 'are'} private or meant to be public, and that users read and write only inside their own folder`,
        },
        evidence,
      )
    }
    return passed(...evidence)
  },
})

/** A policy is one finding, whatever commands and buckets it opens. */
function groups(holes: readonly Hole[]): Hole[][] {
  const byPolicy = new Map<string, Hole[]>()
  for (const hole of holes) byPolicy.set(hole.policy ?? '', [...(byPolicy.get(hole.policy ?? '') ?? []), hole])
  return [...byPolicy.values()]
}

function policyIssue(model: Model, holes: readonly Hole[]): FoundIn | undefined {
  const judged = holes.flatMap((hole) => {
    const severity = severityOf(model, hole)
    return severity ? [{ hole, severity }] : []
  })
  const [worst] = judged.sort((a, b) => rank(a.severity) - rank(b.severity) || rank2(a.hole) - rank2(b.hole))
  if (!worst) return undefined
  const { hole, severity } = worst
  const commands = [...new Set(judged.map((j) => j.hole.command))]
  const buckets = [...new Set(judged.flatMap((j) => (j.hole.bucket === undefined ? [] : [j.hole.bucket])))]
  const everywhere = judged.some((j) => j.hole.bucket === undefined)
  const uploads = commands.every((c) => c === 'insert')
  const verbs = commands.map((c) => ({ select: 'read and list', insert: 'upload', update: 'overwrite', delete: 'delete', execute: 'call' })[c])
  const where = everywhere ? 'every bucket' : `the bucket ${listed(buckets)}`
  const issue: Issue = {
    subject: policySubject('storage.objects', hole.policy ?? ''),
    severity,
    title: everywhere ? 'A storage policy without a bucket' : `Files in ${listed(buckets)} are open`,
    message:
      hole.cause === 'captured-name'
        ? capturedMessage(hole, verbs, where)
        : `The policy "${hole.policy}" lets ${everybody(hole.who)} ${listed(verbs)} files in ${where}${everywhere ? ', because it names none' : ''}, ${uploads ? "into other users' folders too" : "other users' files included"}: ${whyOpen(hole)}.`,
    attack:
      hole.cause === 'captured-name'
        ? `Whoever may write ${hole.because}.name calls an own row "<its id>/x" and can ${listed(verbs)} files in ${where}, whoever they belong to.`
        : uploads
          ? `${withCapital(whoGetsIn(model.schema, hole.who))} can put files of any kind, in any number and under any name into ${where}, other users' folders included.`
          : `${withCapital(whoGetsIn(model.schema, hole.who))} can ${listed(verbs)} other users' files in ${where}.`,
    fix: folderAdvice(
      model,
      hole,
      fixOf(hole, `${everywhere ? 'Name the bucket, and require' : 'Require'} the first folder of the file name to be the id of the caller.`),
    ),
    at: hole.at,
    proof: hole.proof,
    aliases: [...(hole.command === 'select' ? ['splinter:0025'] : ['splinter:0024']), ...(hole.cause === 'user-metadata' ? ['splinter:0015'] : []), 'CWE-732'],
  }
  return { hole, issue }
}

/** A plain `name` that another table caught: the policy opens everything to some and nothing to the others. */
const capturedMessage = (hole: Hole, verbs: readonly string[], where: string): string =>
  `The policy "${hole.policy}" does not look at the file: ${why(hole)}. It lets whoever may write that column and calls an own row "<its id>/x" ${verbs.join() === 'upload' ? 'upload any file into' : `${listed(verbs)} every file in`} ${where}, and refuses those whose rows have no slash in their name.`

const OF_THE_CALLER = /user|auth|uid|owner|profile|account|session|member|me\b/i

/** Where users put files into a bucket; what fills it once from a script of the operator's says nothing of their names. */
const uploadsOf = ({ schema }: Model, bucket: string | undefined): readonly Upload[] =>
  (schema.bucketsInCode?.find((b) => b.name === bucket)?.uploads ?? []).filter((u) => !/(?:^|\/)(?:scripts?|tools|seeds?)\//.test(u.path))

/** Where the code puts files under something else than the caller's id, their folder says nothing of whose they are: the policy has to ask for that. */
function folderAdvice(model: Model, hole: Hole, fix: Fix): Fix {
  if (hole.cause === 'captured-name')
    return { ...fix, text: 'Ask for the name of the file: objects.name, where a plain name is taken for that of the other table.' }
  const uploads = uploadsOf(model, hole.bucket)
  const atRoot = uploads.find((u) => u.folder === '')
  const refused =
    atRoot && hole.command === 'insert'
      ? ` The code puts files at the root of the bucket (${atRoot.path}:${atRoot.line}), which that refuses: let their names begin with the folder in the same change.`
      : ''
  const beside = /\n-- (?:as )?the policy ("[^\n]+?") (?:stays|asks of the same bucket)$/.exec(fix.code ?? '')
  if (beside)
    return {
      ...fix,
      text: `${
        beside[0].endsWith('stays')
          ? `Drop the policy: ${beside[1]} lets in those whose files they are, and this one everybody beside them.`
          : `Let the policy ask what ${beside[1]} asks of names in the same bucket.`
      }${refused}`,
    }
  if (!fix.code?.includes('storage.foldername')) return fix
  const other = uploads.find((u) => u.folder !== undefined && !OF_THE_CALLER.test(u.folder))
  const { proved: _untried, ...rest } = fix
  const byUploader = fix.code.replaceAll('(storage.foldername(name))[1] = (select', 'owner_id = (select')
  if (!other) {
    const [unseen] = uploads.filter((u) => u.folder === undefined)
    if (!unseen || uploads.some((u) => u.folder !== undefined)) return fix
    return {
      ...fix,
      text: `${fix.text} What the first folder is where the code uploads (${unseen.path}:${unseen.line}) is not to be seen: if it names a project, a customer or whatever else, let the policy look up whether the caller may reach that instead.`,
    }
  }
  if (other.folder === '') {
    if (hole.command === 'insert') return { ...fix, text: `${fix.text}${refused}` }
    return {
      ...rest,
      text: `The code puts files at the root of the bucket (${other.path}:${other.line}), so no folder says whose they are: bind the policy to who uploaded the file${hole.command === 'select' ? ', or declare the bucket public if everybody is to see them' : ''}.`,
      code: byUploader,
    }
  }
  const place = `The code puts files under ${other.folder}/ (${other.path}:${other.line}), so their folder is nobody's id`
  if (hole.command === 'update' || hole.command === 'delete') return { ...rest, text: `${place}: bind the policy to who uploaded the file.`, code: byUploader }
  const elsewise = uploads.find((u) => u.folder !== other.folder)
  if (elsewise)
    return {
      text: `${place}, and elsewhere under ${elsewise.folder ? `${elsewise.folder}/` : elsewise.folder === '' ? 'none' : 'one that is not to be seen there'} (${elsewise.path}:${elsewise.line}). Ask for each of these paths who may reach what its folder names, in place of the bucket alone.`,
    }
  if (!other.folder?.startsWith('$'))
    return {
      ...rest,
      text: `${place}. Put the caller's id behind it (${other.folder}/<id>/...) and compare that folder; files that lie there already have to be moved.`,
      code: fix.code.replaceAll('(storage.foldername(name))[1]', '(storage.foldername(name))[2]'),
    }
  return {
    text: `${place}. Let the policy look up that the caller belongs to what the folder names: exists (select 1 from ... where id::text = (storage.foldername(name))[1] and ...). Who has no account gets signed URLs from the server.`,
  }
}

/** A condition that names the bucket alone is one, and still none for whoever calls. */
const whyOpen = (hole: Hole): string => (hole.cause === 'always' && hole.bucket !== undefined ? 'it asks for the bucket and nothing else' : why(hole))

const rank = (severity: Severity): number => ['Critical', 'High', 'Medium'].indexOf(severity)
const rank2 = (hole: Hole): number => ['delete', 'update', 'insert', 'select', 'execute'].indexOf(hole.command)

/** Undefined: no finding of the policy's own (reading a public bucket is the bucket's finding). */
function severityOf(model: Model, hole: Hole): Severity | undefined {
  if (hole.command !== 'select') {
    // whoever uploads has to name a row that belongs to the folder (a request just made): narrower than everybody, and still nobody's own
    if (hole.command === 'insert' && hole.cause === 'no-caller') return 'High'
    // a condition on the name or type of the file narrows it, but not to the caller
    return hole.states?.some((s) => s.column.startsWith('name')) && hole.who === 'authenticated' ? 'High' : 'Critical'
  }
  if (hole.bucket === undefined) {
    const stored = model.schema.buckets
    return stored.some((b) => !b.public) ? 'Critical' : 'High'
  }
  if (isDeclared(model, hole.bucket)) return undefined
  const bucket = model.schema.buckets.find((b) => b.name === hole.bucket)
  const inCode = model.schema.bucketsInCode?.find((b) => b.name === hole.bucket)
  if (bucket?.public || inCode?.public) return undefined
  if (bucket) return 'Critical'
  return isPlainlyPublic(hole.bucket) ? undefined : 'High'
}

function isPlainlyPublic(bucket: string): boolean {
  return PLAINLY_PUBLIC.test(bucket) && !PRIVATE.test(bucket)
}

function isDeclared(model: Model, bucket: string): boolean {
  return model.declared.public.buckets.some((b) => b.name === bucket)
}

function publicBucketIssue(model: Model, bucket: Bucket): Issue | undefined {
  if (!bucket.public || isDeclared(model, bucket.name)) return undefined
  return publicIssue(bucket.name, bucket.at ?? { path: 'supabase/config.toml', line: 1 }, model)
}

function codeBucketIssue(
  model: Model,
  bucket: { readonly name: string; readonly path: string; readonly line: number; readonly public?: boolean },
): Issue | undefined {
  if (!bucket.public || isDeclared(model, bucket.name) || model.schema.buckets.some((b) => b.name === bucket.name)) return undefined
  return publicIssue(bucket.name, { path: bucket.path, line: bucket.line }, model)
}

function publicIssue(name: string, at: Place, model: Model): Issue {
  const plain = !PRIVATE.test(name)
  const listing = (model.access.holes ?? []).filter((h) => h.object === 'storage.objects' && h.command === 'select' && h.bucket === name)
  const readable = readableByAll(model, listing)
  return {
    subject: `bucket ${name}`,
    severity: plain ? 'Medium' : 'High',
    title: `The bucket ${name} is public`,
    message: plain
      ? `Every file in ${name} can be downloaded by its URL without signing in; if that is meant, say so under public.buckets in .github/prelaunch.yml.`
      : `Every file in ${name} can be downloaded by its URL without signing in, whatever the policies say: the flag "public" bypasses them.`,
    attack: `Anyone who has or guesses a URL downloads files from ${name}${listing.length ? ', and a policy lets them list the names' : ''}.`,
    fix: {
      text: `${plain ? 'Declare it public, or make it private and hand out signed URLs.' : 'Make the bucket private and hand out signed URLs.'}${readable.length ? ` A private bucket goes on to be read by everybody while ${listed(readable.map((p) => `"${p}"`))} lets them: drop that too. Signed URLs are then made by the server, or under a policy for those who may see the file.` : ''}`,
      language: 'sql',
      code: `update storage.buckets set public = false where id = '${name.replaceAll("'", "''")}';${readable.map((p) => `\ndrop policy ${ident(p)} on storage.objects;`).join('')}`,
    },
    at,
    related: listing.map((h) => ({ ...h.at, subject: policySubject('storage.objects', h.policy ?? ''), what: `lets ${everybody(h.who)} list the files` })),
    proof: 'inferred',
    aliases: [...(listing.length ? ['splinter:0025'] : []), 'CWE-732'],
  }
}

/** Policies that only let everybody read one bucket, whatever its flag says. */
function readableByAll(model: Model, holes: readonly Hole[]): string[] {
  const stay = (hole: Hole) => (model.access.holes ?? []).some((h) => h.object === 'storage.objects' && h.policy === hole.policy && h.bucket !== hole.bucket)
  const reads = (hole: Hole) => model.schema.policies.some((p) => p.schema === 'storage' && p.name === hole.policy && p.command === 'select')
  return [...new Set(holes.filter((h) => h.who === 'anon' && reads(h) && !stay(h)).flatMap((h) => h.policy ?? []))].sort()
}

/** Buckets that users work with and that no policy names. */
function unnamedBuckets(model: Model): (Issue | undefined)[] {
  const policies = model.access.storage ?? []
  if (!model.schema.speaksOfStorage || policies.some((p) => p.bucket === undefined)) return []
  const named = new Set(policies.map((p) => p.bucket))
  const text = model.schema.policies
    .filter((p) => p.schema === 'storage')
    .map((p) => `${p.using ?? ''} ${p.check ?? ''}`)
    .join(' ')
  return (model.schema.bucketsInCode ?? [])
    .filter((b) => !named.has(b.name) && !text.includes(`'${b.name}'`) && usersUpload(model, b))
    .map((b) => {
      const uploads = (b.uploads ?? [b]).map(({ path, line }) => ({ path, line }))
      const at = model.schema.buckets.find((s) => s.name === b.name)?.at ?? uploads.find((p) => model.modules.inBrowser(p.path, p.line)) ?? uploads[0] ?? b
      return {
        subject: `bucket ${b.name}`,
        discriminator: 'no policy',
        severity: 'High' as const,
        title: `No policy names the bucket ${b.name}`,
        message: `Users upload to ${b.name}, but no policy on storage.objects speaks of it: either every upload fails, or a policy made in the dashboard that the repository does not show decides.`,
        attack: 'What the dashboard allows is not reviewed by anybody; the usual quick repair opens the bucket to every signed-in user.',
        fix: {
          text: `Give the bucket policies of its own, bound to the folder of the caller.${elsewhere(b)}`,
          language: 'sql',
          code: `create policy "Own folder in ${b.name}" on storage.objects\n  for all to authenticated\n  using (bucket_id = '${b.name}' and (storage.foldername(name))[1] = (select auth.uid())::text)\n  with check (bucket_id = '${b.name}' and (storage.foldername(name))[1] = (select auth.uid())::text);`,
        },
        at: { path: at.path, line: at.line },
        related: uploads.slice(0, 30).map((u) => ({ ...u, what: 'used here' })),
        proof: 'inferred' as const,
        aliases: ['CWE-732'],
      }
    })
}

/** Where the code puts files that the policy for own folders would refuse. */
function elsewhere(bucket: BucketInCode): string {
  const other = bucket.uploads?.find((u) => u.folder !== undefined && !OF_THE_CALLER.test(u.folder))
  const unseen = bucket.uploads?.every((u) => u.folder === undefined) ? bucket.uploads[0] : undefined
  if (unseen)
    return ` What the first folder is where the code uploads (${unseen.path}:${unseen.line}) is not to be seen: if it names a project or whatever else, let the policy look up whether the caller may reach that instead.`
  return other
    ? ` The code puts files ${other.folder === '' ? 'at the root' : `under ${other.folder}/`} (${other.path}:${other.line}), which that refuses: let their names begin with the caller's id, or let the policy look up who may reach what the folder names.`
    : ''
}

/** False where only the service role puts files into the bucket: it needs no policy. */
function usersUpload(model: Model, bucket: BucketInCode): boolean {
  const places = bucket.uploads ?? []
  if (places.some((p) => model.modules.inBrowser(p.path, p.line))) return true
  const rights = model.routes.routes
    .flatMap((r) => r.behaviour?.steps ?? [])
    .flatMap((s) => (s.effect.kind === 'storage' && s.effect.op === 'write' && s.effect.bucket === bucket.name ? [s.effect.client.rights] : []))
  return places.length > 0 && (rights.length === 0 || rights.some((r) => r !== 'service'))
}
